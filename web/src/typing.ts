// Whether a key press belongs to an input.

/** Whether the focused element handles the key. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog")) return true;
  if (target instanceof HTMLInputElement) {
    // Space toggles a checkbox, but does nothing to a slider.
    if (target.type === "checkbox") return event.key === " ";
    return !(target.type === "range" && event.key === " ");
  }
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    || (target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter"));
}

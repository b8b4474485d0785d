// Whether a key is typed into something.

/** Whether keys belong to the element that has the focus. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("dialog")) return true;
  if (target instanceof HTMLInputElement) {
    // Space ticks a box, but does nothing to a slider.
    if (target.type === "checkbox") return event.key === " ";
    return !(target.type === "range" && event.key === " ");
  }
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
    || (target instanceof HTMLButtonElement && (event.key === " " || event.key === "Enter"));
}

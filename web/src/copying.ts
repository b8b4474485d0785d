// A button that copies a text.

import { h } from "./dom";

const SHOWN_MS = 2500;

/** The button copies what `text` contains; its label says whether that worked. */
export function copyButton(label: string, text: HTMLElement): HTMLButtonElement {
  let timer = 0;
  const button = h("button", { class: "button copy", type: "button", "aria-live": "polite", onclick: () => void copy() }, label);
  const say = (words: string): void => {
    // Shown in the button, so nothing moves.
    button.textContent = words;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => (button.textContent = label), SHOWN_MS);
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text.textContent ?? "");
      say("copied");
    } catch {
      // Without permission to write, the browser's copy command copies the selection.
      getSelection()?.selectAllChildren(text);
      say("press Ctrl+C");
    }
  };
  return button;
}

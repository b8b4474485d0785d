// The buttons for what one may do now.

import { h } from "../dom";

const NUM_COLOURS = 6;

/** The colour of an action by its position, as a value for styles. */
export function actionColour(index: number): string {
  return `var(--action-${index % NUM_COLOURS})`;
}

export function actionButtons(actions: readonly string[], take: (action: string) => void): HTMLElement[] {
  return actions.map((action, index) => {
    const button = h("button", { class: "button action", "data-action": action, onclick: () => take(action) },
      index < 9 ? h("kbd", { "aria-hidden": "true" }, index + 1) : null, action);
    button.style.borderBottomColor = actionColour(index);
    return button;
  });
}

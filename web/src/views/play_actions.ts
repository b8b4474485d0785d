// The buttons for the legal actions.

import { actionColour } from "../action_styles";
import { h } from "../dom";
import { hasDigits } from "./play_keys";

export function actionButtons(actions: readonly string[], take: (action: string) => void): HTMLElement[] {
  return actions.map((action, index) => {
    const button = h("button", { class: "button action", "data-action": action, onclick: () => take(action) },
      index < 9 && !hasDigits(actions) ? h("kbd", { "aria-hidden": "true" }, index + 1) : null, action);
    button.style.borderBottomColor = actionColour(index);
    return button;
  });
}

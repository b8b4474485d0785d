// The buttons for the legal actions.

import { actionColour } from "../action_styles";
import { h } from "../dom";
import { keyOf } from "./play_keys";

export function actionButtons(actions: readonly string[], take: (action: string) => void): HTMLElement[] {
  return actions.map((action, index) => {
    const key = keyOf(index, actions);
    const button = h("button", { class: "button action", "data-action": action, onclick: () => take(action) },
      key === null ? null : h("kbd", { "aria-hidden": "true" }, key), action);
    button.style.borderBottomColor = actionColour(index);
    return button;
  });
}

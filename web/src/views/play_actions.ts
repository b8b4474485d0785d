// The buttons for the legal actions.

import { actionClasses } from "../action_styles";
import { h } from "../dom";
import type { ActionData } from "../model";
import { keyOf } from "./play_keys";

export function actionButtons(data: readonly ActionData[], take: (action: string) => void): HTMLElement[] {
  const [actions, styles] = [data.map(({ name }) => name), actionClasses(data)];
  return actions.map((action, index) => {
    const key = keyOf(index, actions);
    return h("button", {
      class: `button action ${styles[index]}`, "data-action": action, onclick: () => take(action),
    }, key === null ? null : h("kbd", { "aria-hidden": "true" }, key), action);
  });
}

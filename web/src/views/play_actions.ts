// The buttons for the legal actions.

import { actionClasses } from "../action_styles";
import { h } from "../dom";
import type { PlayAction } from "../model";
import { keyOf } from "./play_keys";

export function actionButtons(data: readonly PlayAction[], take: (action: string) => void): HTMLElement[] {
  const [actions, styles] = [data.map(({ name }) => name), actionClasses(data)];
  return data.map(({ name, words }, index) => {
    const key = keyOf(index, actions);
    return h("button", {
      class: `button action ${styles[index]}`, "data-action": name, onclick: () => take(name),
      "aria-keyshortcuts": key?.replace("⇧", "Shift+"),
    }, key === null ? null : h("kbd", { "aria-hidden": "true" }, key), words);
  });
}

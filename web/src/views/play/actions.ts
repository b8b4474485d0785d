// The buttons for the legal actions.

import { actionClasses } from "../../action_styles";
import { h } from "../../dom";
import type { Chips, PlayAction } from "../../model";
import { keyOf } from "./keys";
import { sizeControl, sizedBets, withButtons } from "./sizes";

export function actionButtons(
  data: readonly PlayAction[], chips: Chips | null, take: (action: string) => void,
): HTMLElement[] {
  const styles = new Map(actionClasses(data).map((style, index) => [data[index], style]));
  const listed = withButtons(data);
  const actions = listed.map(({ name }) => name);
  const buttons: HTMLElement[] = listed.map((action, index) => {
    const key = keyOf(index, actions);
    return h("button", {
      class: `button action ${styles.get(action)}`, "data-action": action.name, onclick: () => take(action.name),
      "aria-keyshortcuts": key?.replace("⇧", "Shift+"),
    }, key === null ? null : h("kbd", { "aria-hidden": "true" }, key), action.words);
  });
  const bets = sizedBets(data);
  if (bets.length > 0) buttons.push(sizeControl(bets, chips, styles.get(bets[bets.length >> 1]) ?? "", take));
  return buttons;
}

// The whole range at a node in one row: who acts, how often each action is taken, which leads on, and other facts.

import { actionClasses } from "../../action_styles";
import { fill, h } from "../../dom";
import { percent } from "../../format";
import { mixBar } from "../../mix_bar";
import type { NodePage, RunNode } from "../../model";
import { mark, type Go } from "./path_strip";
import type { Amounts } from "./units";

export type Fact = [name: string, text: string];

export interface Summary {
  who: readonly (string | Node)[];
  facts: readonly Fact[];
  /** Whether the range is that of the player who acts. */
  isActing: boolean;
  amounts: Amounts;
  go: Go;
}

export function fillSummary(element: HTMLElement, node: NodePage | RunNode, { who, facts, isActing, amounts, go }: Summary): void {
  const { actions, children, mix } = node;
  const styles = actionClasses(actions);
  const shares = actions.map((action, index) => {
    const { name } = action;
    const child = children[index];
    const content = [mark(styles[index]), amounts.action(action), h("strong", { class: "number" }, percent(mix?.[index]))];
    return child
      ? h("button", { class: "share station", "data-action": name, title: `go on after ${name}`, onclick: () => go(child) }, ...content)
      : h("span", { class: "share", "data-action": name }, ...content);
  });
  fill(element,
    h("span", { class: "who" }, ...who),
    isActing && h("span", { class: "shares" }, ...shares),
    ...facts.map(([name, text]) => h("span", { class: "fact number", "data-field": name }, h("span", { class: "soft" }, `${name} `), text)),
    !node.is_reached && h("span", { class: "soft" }, "no hand gets here by its own moves; all count the same"),
    isActing && mixBar(mix ?? actions.map(() => null), styles));
}

// Classes of hands, made and drawing: how much of the range they are, what they do and what they are worth. A click on a
// class leaves only its hands in the grid and in the table.

import { actionClasses } from "../../action_styles";
import { fill, h } from "../../dom";
import { fixed, percent } from "../../format";
import { mixBar } from "../../mix_bar";
import type { NodePage, RangeClass, RangeFacts } from "../../model";
import { mixWords } from "./cells";
import type { Amounts } from "./units";

const KINDS = [["made", "made hands"], ["draw", "draws"]] as const;

export class ClassPanel {
  readonly element = h("section", { class: "spot-table class-panel", tabindex: 0, role: "region", "aria-label": "Classes of hands" });

  constructor(private readonly choose: (name: string | null) => void) {}

  draw(node: NodePage, side: RangeFacts["sides"][number], chosen: string | null, amounts: Amounts): void {
    const hadFocus = this.element.contains(document.activeElement) && document.activeElement !== this.element;
    const isActing = side.classes.some(({ mix }) => mix.length > 0);
    const hasEv = side.classes.some(({ ev }) => ev !== null);
    const styles = actionClasses(node.actions);
    const row = (one: RangeClass): HTMLElement => {
      const isChosen = one.name === chosen;
      const share = h("td", { class: "share" }, percent(one.share));
      share.style.setProperty("--share", `${100 * one.share}%`);
      return h("tr", { "data-class": one.name, class: isChosen ? "chosen" : null },
        h("th", { scope: "row" }, h("button", {
          class: "link", "aria-pressed": String(isChosen), title: isChosen ? "show all hands again" : `show only ${one.name}`,
          onclick: () => this.choose(isChosen ? null : one.name),
        }, one.name)),
        share, h("td", {}, fixed(one.combos, 1)), h("td", {}, percent(one.equity)),
        hasEv && h("td", {}, amounts.text(one.ev)),
        isActing && h("td", { class: "mix", title: mixWords(node.actions, one.mix.map((part) => part ?? 0)) },
          mixBar(one.mix, styles), h("span", { class: "spoken" }, mixWords(node.actions, one.mix.map((part) => part ?? 0)))));
    };
    fill(this.element, side.classes.length === 0
      ? h("p", { class: "soft" }, "No hand gets here.")
      : h("table", {},
        h("thead", {}, h("tr", {}, ...[
          "hands", "of the range", "combos", "equity", ...(hasEv ? [`EV${amounts.heading}`] : []), ...(isActing ? ["what they do"] : []),
        ].map((name) => h("th", { scope: "col" }, h("span", { class: "head" }, name))))),
        ...KINDS.map(([kind, title]) => {
          const rows = side.classes.filter((one) => one.kind === kind);
          return rows.length > 0 && h("tbody", {}, h("tr", { class: "kind" }, h("th", { scope: "rowgroup", colspan: 6 }, title)), ...rows.map(row));
        })));
    if (hadFocus) this.element.querySelector<HTMLElement>(`[data-class="${CSS.escape(chosen ?? "")}"] button, button`)?.focus();
  }
}

// What the whole range does on a line: how often each action is taken, and what that is worth. The names of
// the actions lead down the line.

import { actionClasses } from "../action_styles";
import * as api from "../api";
import { fill, h } from "../dom";
import { percent, signed } from "../format";
import { LruCache } from "../lru_cache";
import type { NodePage, RunDetail } from "../model";
import { Newest } from "../newest";
import type { Spot } from "../state";
import type { Filters } from "./strategy_filters";
import type { FrameRef } from "./strategy_pages";

const KEPT = 200;

export class RangeSummary {
  readonly element = h("section", { class: "range-summary", "aria-label": "The whole range", hidden: true });
  private readonly kept = new LruCache<NodePage>(KEPT);
  private readonly newest = new Newest<NodePage>();
  private key = "";

  constructor(private readonly go: (change: Partial<Spot>) => void) {}

  /** Show the line that is chosen, or the start of the game. */
  update(detail: RunDetail, { line = "", board }: Filters, frame: FrameRef): void {
    const key = JSON.stringify([detail.id, line, board ?? null, frame.name]);
    if (key === this.key) return;
    this.key = key;
    const known = this.kept.get(key);
    if (known !== undefined) {
      this.newest.forget();
      this.draw(detail, known);
      return;
    }
    const query = { line, board, frame: frame.position, hands: 0 } as const;
    this.newest.ask(`${detail.id}|${line}|${board ?? ""}`, () => api.node(detail.id, query), (page) => {
      if (page.iteration === frame.iteration || frame.iteration === null) this.kept.set(key, page);
      this.draw(detail, page);
    }, () => {
      // A game without lines, or with nobody to decide here: there is no range to sum up.
      this.element.hidden = true;
    });
  }

  forget(): void {
    this.newest.forget();
    this.key = "";
  }

  private draw(detail: RunDetail, page: NodePage): void {
    const { mix, ev, reach, chips } = page;
    this.element.hidden = mix === null;
    if (mix === null) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const again = focused instanceof HTMLElement ? focused.dataset["action"] : undefined;
    const styles = actionClasses(page.actions);
    const shares = page.actions.map(({ name }, index) => {
      const child = page.children[index] ?? null;
      const content = [h("span", { class: `swatch action ${styles[index]}`, "aria-hidden": "true" }), name,
        h("strong", { class: "number" }, percent(mix[index]))];
      return child === null
        ? h("span", { class: "share", "data-action": name }, ...content)
        : h("button", {
          class: "share station", "data-action": name, title: `go on after ${name}`, onclick: () => this.go({ line: child }),
        }, ...content);
    });
    const bar = h("div", { class: "bar", "aria-hidden": "true" }, ...mix.map((share, index) => {
      const segment = h("span", { class: `segment ${styles[index]}` });
      segment.style.width = `${100 * share}%`;
      return segment;
    }));
    const facts: [string, string][] = [
      ["EV", `${signed(ev, 3)} ${detail.unit}`],
      ["reached", percent(reach)],
      ...(chips === null ? [] : [["pot", `${chips.pot + chips.bets[0] + chips.bets[1]} ${detail.unit}`] as [string, string]]),
    ];
    fill(this.element,
      h("span", { class: "who" }, h("strong", {}, detail.terms.seats[page.seat]), ` ${page.words}`),
      h("span", { class: "shares" }, ...shares),
      ...facts.map(([name, text]) => h("span", { class: "fact number", "data-field": name },
        h("span", { class: "soft" }, `${name} `), text)),
      bar);
    for (const button of this.element.querySelectorAll("button")) {
      if (button.dataset["action"] === again) button.focus();
    }
  }
}

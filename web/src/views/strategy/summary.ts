// What the whole range does on a line: how often each action is taken, and what that is worth. The names of
// the actions lead down the line.

import * as api from "../../api";
import { h } from "../../dom";
import { percent, signed } from "../../format";
import { LruCache } from "../../lru_cache";
import type { RunDetail, RunNode } from "../../model";
import { Newest } from "../../newest";
import type { Spot } from "../../state";
import { fillSummary, type Fact } from "../node/summary";
import { Amounts } from "../node/units";
import type { Filters } from "./filters";
import type { FrameRef } from "./pages";

const KEPT = 200;

export class RangeSummary {
  readonly element = h("section", { class: "range-summary", "aria-label": "The whole range", hidden: true });
  private readonly kept = new LruCache<RunNode>(KEPT);
  private readonly newest = new Newest<RunNode>();
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
      if (page.panels.frame?.iteration === frame.iteration || frame.iteration === null) this.kept.set(key, page);
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

  private draw(detail: RunDetail, page: RunNode): void {
    const { mix, reach, pot, player } = page;
    this.element.hidden = mix === null;
    if (mix === null || player === -1) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const again = focused instanceof HTMLElement ? focused.dataset["action"] : undefined;
    const facts: Fact[] = [["EV", `${signed(page.sides[player]?.means["ev"], 3)} ${detail.unit}`], ["reached", percent(reach)]];
    if (pot !== null) facts.push(["pot", `${pot} ${detail.unit}`]);
    fillSummary(this.element, page, {
      who: [h("strong", {}, detail.terms.seats[player] ?? ""), ` ${page.words}`], facts, isActing: true, amounts: new Amounts("chips", page),
      go: ({ line }) => this.go({ line }),
    });
    for (const button of this.element.querySelectorAll("button")) {
      if (button.dataset["action"] === again) button.focus();
    }
  }
}

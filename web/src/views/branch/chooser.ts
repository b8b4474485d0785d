// Choosing the infosets to draw: a searchable list, up to four at once.

import * as api from "../../api";
import { fill, h } from "../../dom";
import { messageOf } from "../../errors";
import { count } from "../../format";
import type { StrategyPage, StrategyRow, Terms } from "../../model";
import { Newest } from "../../newest";

export const MAX_CHOSEN = 4;
const PAGE = 40;
const TYPING_MS = 150;

export class InfosetChooser {
  readonly element: HTMLElement;
  private readonly search = h("input", {
    type: "search", class: "infoset-search", placeholder: "search labels", "aria-label": "Search infosets",
    maxlength: 80, oninput: () => this.typed(),
  });
  private readonly list = h("div", { class: "infosets" });
  private readonly newest = new Newest<StrategyPage[]>();
  private run: string | null = null;
  private asked = "";
  private chosen: readonly string[] = [];
  private seats: Terms["seats"] = ["", ""];
  private typing: number | undefined;

  /** `first` is called with the first infoset of the run once it is known. */
  constructor(
    private readonly choose: (labels: string[]) => void,
    private readonly first: (label: string) => void,
  ) {
    this.element = h("section", { class: "chooser", "aria-label": "Infosets" }, this.search, this.list);
  }

  update(run: string, seats: Terms["seats"], chosen: readonly string[]): void {
    this.chosen = chosen;
    this.seats = seats;
    if (run !== this.run) {
      this.run = run;
      this.search.value = "";
      fill(this.list);
    }
    this.ask();
    this.mark();
  }

  forget(): void {
    this.newest.forget();
    this.run = null;
    this.asked = "";
  }

  private typed(): void {
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => this.ask(), TYPING_MS);
  }

  private ask(): void {
    const { run } = this;
    const search = this.search.value.trim();
    const key = `${run}|${search}`;
    if (run === null || key === this.asked) return;
    this.asked = key;
    const query = { frame: -1, search: search || undefined, offset: 0, limit: PAGE };
    this.newest.ask(
      key,
      () => Promise.all(this.seats.map((_, player) => api.strategy(run, { ...query, player }))),
      (pages) => this.draw(pages, search),
      (error) => {
        // The next change, such as a restored connection, requests it again.
        this.asked = "";
        fill(this.list, h("p", { class: "soft" }, messageOf(error)));
      },
    );
  }

  private draw(pages: StrategyPage[], search: string): void {
    const first = pages.flatMap((page) => page.rows)[0];
    fill(this.list, ...pages.filter((page) => page.total > 0).flatMap((page) => [
      h("h3", {}, this.seats[page.player]),
      h("ul", {}, ...page.rows.map((row) => this.item(row))),
      page.total > page.rows.length
        && h("p", { class: "soft" }, `${count(page.total - page.rows.length)} more; use the search to find them`),
    ]), first === undefined && h("p", { class: "soft" }, "no label contains this text"));
    this.mark();
    if (first !== undefined && search === "") this.first(first.label);
  }

  private item(row: StrategyRow): HTMLLIElement {
    return h("li", { "data-label": row.label },
      h("button", { class: "only", title: "Draw only this infoset", onclick: () => this.choose([row.label]) },
        h("code", {}, row.label), row.words !== row.label && h("span", { class: "soft" }, row.words)),
      h("button", { class: "also", onclick: () => this.toggle(row.label) }),
    );
  }

  /** Mark the infosets drawn, and label the small buttons. */
  private mark(): void {
    for (const item of this.list.querySelectorAll<HTMLElement>("li")) {
      const label = item.dataset["label"] ?? "";
      const isChosen = this.chosen.includes(label);
      item.classList.toggle("chosen", isChosen);
      const [only, also] = item.querySelectorAll("button");
      if (only === undefined || also === undefined) continue;
      only.setAttribute("aria-pressed", String(isChosen));
      also.textContent = isChosen ? "−" : "+";
      also.disabled = isChosen ? this.chosen.length === 1 : this.chosen.length >= MAX_CHOSEN;
      const words = isChosen ? `Remove ${label}` : `Add ${label}`;
      also.setAttribute("aria-label", words);
      also.title = also.disabled && !isChosen ? `At most ${MAX_CHOSEN} at once` : words;
    }
  }

  private toggle(label: string): void {
    const others = this.chosen.filter((one) => one !== label);
    this.choose(others.length < this.chosen.length ? others : [...this.chosen, label]);
  }
}

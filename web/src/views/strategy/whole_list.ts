// A short list: all rows are in the page, with a heading per card if that helps.

import { fill, h } from "../../dom";
import type { StrategyRow } from "../../model";
import { cardFace } from "./card";
import { groupByCard, needsHeadings, type Group } from "./groups";
import { RowElement } from "./row";

export class WholeList {
  readonly element = h("div", { class: "whole" });
  private shown: RowElement[] = [];

  rows(): Iterable<RowElement> {
    return this.shown;
  }

  /** Show the rows; returns whether they were rebuilt rather than updated in place. */
  update(rows: readonly StrategyRow[]): boolean {
    const isSame = rows.length === this.shown.length
      && rows.every((row, index) => this.shown[index]?.fits(row));
    if (isSame) rows.forEach((row, index) => this.shown[index]?.update(row));
    else this.build(rows);
    return !isSame;
  }

  private build(rows: readonly StrategyRow[]): void {
    const groups = groupByCard(rows);
    // Rows in the order of their differences are not in groups.
    const withHeadings = needsHeadings(groups) && !rows.some((row) => "other" in row);
    this.shown = rows.map((row) => new RowElement(row, withHeadings ? null : { words: row.words }));
    const items = this.shown.map((row) => row.element);
    if (!withHeadings) {
      fill(this.element, h("ul", {}, ...items));
      return;
    }
    let next = 0;
    fill(this.element, ...groups.map((group) => {
      const first = next;
      next += group.rows.length;
      return section(group, items.slice(first, next));
    }));
  }
}

function section(group: Group, items: HTMLElement[]): HTMLElement {
  const infosets = `${items.length} ${items.length === 1 ? "infoset" : "infosets"}`;
  return h("section", { class: "card-group", "data-card": group.card },
    h("h3", {}, cardFace(group.card), h("span", { class: "soft" }, infosets)),
    h("ul", {}, ...items),
  );
}

// Chips for cards and boards, a list of lines in words, a search over labels; all kept in the address.

import { fill, h } from "../dom";
import { count } from "../format";
import type { LineInfo, RunDetail } from "../model";
import type { Store } from "../state";
import { FILTER_NAMES, isFiltered, type Filters } from "./strategy_filters";
import { decidedOn, type LineNode } from "./strategy_lines";

const TYPING_MS = 150;
/** More cards or boards than this become a drop-down list: push/fold has 169 hands. */
const MAX_CHIPS = 20;

export class FilterBar {
  readonly element = h("div", { class: "filters" });
  private readonly card = h("div", { class: "group filter-card", role: "group", "aria-label": "Card" });
  private readonly board = h("div", { class: "group filter-board", role: "group", "aria-label": "Board" });
  private readonly line = h("select", {
    class: "filter-line", "aria-label": "Line", onchange: () => this.set("line", this.chosenLine()),
  });
  private readonly search = h("input", {
    class: "filter-search", type: "search", placeholder: "search labels", "aria-label": "Search labels",
    maxlength: 80, oninput: () => this.typed(),
  });
  private readonly clear = h("button", { class: "button clear", onclick: () => this.clearAll() }, "clear all");
  private readonly crumbs = h("nav", { class: "crumbs", "aria-label": "Line so far" });
  private readonly toggle = h("button", {
    class: "button filters-toggle", "aria-expanded": "false", onclick: () => this.toggleOpen(),
  }, "filters");
  private readonly lineLabel = h("label", { class: "group" }, h("span", { class: "soft" }, "line"), this.line);
  private drawn = "";
  private typing: number | undefined;

  constructor(private readonly store: Store) {
    this.element.append(
      this.toggle,
      h("div", { class: "controls" }, this.card, this.board, this.lineLabel, this.search, this.clear),
      this.crumbs,
    );
  }

  /** With `hasBrowser`, lines are chosen in the tree instead. */
  update(detail: RunDetail, filters: Filters, path: LineNode[], hasBrowser: boolean): void {
    const { id, cards: known, boards, lines } = detail;
    const key = JSON.stringify([id, known, boards, lines.length, filters, hasBrowser]);
    if (key === this.drawn) return;
    this.drawn = key;
    const { card, board, line, search } = filters;
    const cards = known.filter((one) => one !== "");
    this.chips(this.card, "card", cards, card, (one) => one);
    this.chips(this.board, "board", boards, board, (one) => one || "no board");
    this.lineLabel.hidden = hasBrowser || new Set(lines.map((one) => one.line)).size < 2;
    if (!this.lineLabel.hidden) this.drawLines(lines, line);
    if (document.activeElement !== this.search) this.search.value = search ?? "";
    this.clear.hidden = !isFiltered(filters);
    this.drawCrumbs(path);
    const active = FILTER_NAMES.filter((name) => filters[name] !== undefined).length;
    this.toggle.textContent = active > 0 ? `filters (${active})` : "filters";
  }

  private chips(
    element: HTMLElement, name: "card" | "board", values: string[], chosen: string | undefined,
    words: (value: string) => string,
  ): void {
    element.hidden = values.length < 2;
    if (element.hidden) return;
    if (values.length > MAX_CHIPS) {
      const select = h("select", {
        "aria-label": name, onchange: () => this.set(name, values[Number(select.value)] ?? null),
      },
      h("option", { value: -1 }, "all"),
      ...values.map((value, index) => h("option", { value: index, selected: value === chosen }, words(value))));
      fill(element, h("span", { class: "soft" }, name), select);
      return;
    }
    const again = element.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset[name] ?? ""
      : null;
    const chip = (value: string | undefined, text: string): HTMLButtonElement => h("button", {
      class: "button chip", [`data-${name}`]: value ?? "*", "aria-pressed": String(value === chosen),
      onclick: () => this.set(name, value === chosen ? null : (value ?? null)),
    }, text);
    fill(element, h("span", { class: "soft" }, name), chip(undefined, "all"),
      ...values.map((value) => chip(value, words(value))));
    if (again === null) return;
    for (const button of element.querySelectorAll("button")) {
      if (button.dataset[name] === again) button.focus();
    }
  }

  private drawLines(lines: readonly LineInfo[], chosen: string | undefined): void {
    const groups = [0, 1].map((player) => h("optgroup", { label: `player ${player}` },
      ...lines.filter((one) => one.player === player).map((one) => h("option", {
        value: `=${one.line}`, selected: one.line === chosen,
      }, lineText(one)))));
    fill(this.line, h("option", { value: "" }, "all"), ...groups.filter((group) => group.children.length > 0));
  }

  private drawCrumbs(path: LineNode[]): void {
    this.crumbs.hidden = path.length === 0;
    fill(this.crumbs, ...path.flatMap((node, index): (Node | string)[] => {
      const isLast = index === path.length - 1;
      const crumb = h("button", {
        class: "crumb", "aria-current": isLast && "true", disabled: node.decisions.length === 0,
        onclick: () => this.set("line", node.line),
      }, node.move);
      return isLast ? [crumb, h("span", { class: "soft words" }, decidedOn(node))] : [crumb, "›"];
    }));
  }

  private chosenLine(): string | null {
    return this.line.value === "" ? null : this.line.value.slice(1);
  }

  private typed(): void {
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => this.set("search", this.search.value.trim() || null), TYPING_MS);
  }

  private set(name: (typeof FILTER_NAMES)[number], value: string | null): void {
    this.store.setOption(name, value, { replace: name === "search" });
  }

  private clearAll(): void {
    const options = { ...this.store.state.options };
    for (const name of FILTER_NAMES) delete options[name];
    this.search.value = "";
    this.store.set({ options });
  }

  private toggleOpen(): void {
    const isOpen = this.element.closest(".strategy")?.classList.toggle("filters-open") ?? false;
    this.toggle.setAttribute("aria-expanded", String(isOpen));
  }
}

/** A line and its words, unless they are the same. */
function lineText({ line, words, infosets }: LineInfo): string {
  return `${words === line ? line : `${line || "–"}  ${words}`} (${count(infosets)})`;
}

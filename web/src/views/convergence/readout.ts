// The numbers at the reading line, one row per run; without a reading line, the latest numbers.

import { SECOND_WORDS, secondOf, type Second } from "../../charts/measures";
import { fill, h, setText } from "../../dom";
import { count, duration, millions, short, signed, withUnit } from "../../format";
import { term } from "../../glossary";
import type { Player, ProgressRow, RunDetail } from "../../model";
import { colourOf, isDashed } from "../runs/shown";

export interface ReadRow {
  detail: RunDetail;
  position: number;
  row: ProgressRow | null;
  /** How exploitability falls over the last decade shown; null if that is not known. */
  slope: PowerLaw | null;
}

/** Proportional to a power of the iterations T or the time t. */
export interface PowerLaw {
  base: "t" | "T";
  exponent: string;
}

/** What the table shows besides the time. */
export interface Shown {
  seconds: readonly Second[];
  /** Whether exploitability or value is known. */
  isMeasured: boolean;
}

interface Column {
  name: string;
  words: string;
  text: (row: ProgressRow, detail: RunDetail, index: number) => string;
}

export class ReadOut {
  readonly element: HTMLElement;
  private readonly caption = h("caption", {});
  private readonly head = h("tr", {});
  private readonly body = h("tbody", {});
  private readonly spoken = h("p", { class: "spoken", "aria-live": "polite" });
  private key = "";
  private cells: HTMLElement[][] = [];

  constructor() {
    const table = h("table", {}, this.caption, h("thead", {}, this.head), this.body);
    this.element = h("div", { class: "readout" }, table, this.spoken);
  }

  /** Show the rows, with these measures; with `isSpoken`, screen readers announce the first. */
  update(caption: string, rows: readonly ReadRow[], { seconds, isMeasured }: Shown, isSpoken: boolean): void {
    const hasBeta = rows.some(({ row }) => row?.beta != null);
    const columns = columnsOf(seconds, isMeasured, hasBeta, rows);
    const runs = rows.map(({ detail, position }) => `${detail.id} ${position} ${detail.name}`);
    const key = [...runs, ...columns.map((column) => column.words)].join("\n");
    if (key !== this.key) this.build(rows, columns);
    this.key = key;
    setText(this.caption, caption);
    rows.forEach(({ row, detail }, index) => {
      columns.forEach((column, place) => {
        const cell = this.cells[index]?.[place];
        const slope = column.name === "slope" ? rows[index]?.slope ?? null : null;
        if (cell === undefined) return;
        if (slope !== null) fill(cell, slope.base, h("sup", {}, slope.exponent));
        else setText(cell, row === null ? "–" : column.text(row, detail, index));
      });
    });
    const [first] = rows;
    if (isSpoken && first?.row) {
      const { row, detail } = first;
      setText(this.spoken, columns.map((column) => `${column.words} ${column.text(row, detail, 0)}`).join(", "));
    }
  }

  private build(rows: readonly ReadRow[], columns: readonly Column[]): void {
    const [first] = rows;
    fill(this.head, ...["run", ...columns.map(({ words }) => words)].map((words) => (
      h("th", { scope: "col" }, isExplained(words) && first !== undefined ? term(words, first.detail.terms) : words))));
    this.cells = rows.map(() => columns.map(({ name, words }) => (
      h("td", { "data-column": name, "data-words": words }))));
    fill(this.body, ...rows.map(({ detail, position }, index) => {
      const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.color = colourOf(position);
      swatch.classList.toggle("dashed", isDashed(position));
      const name = h("th", { scope: "row", title: detail.name }, swatch, h("span", { class: "name" }, detail.name));
      return h("tr", { "data-of": detail.id }, name, ...(this.cells[index] ?? []));
    }));
  }
}

function isExplained(words: string): words is "exploitability" | "regret" {
  return words === "exploitability" || words === "regret";
}

/** For screen readers; the table has the exponent raised. */
function lawWords(slope: PowerLaw | null): string {
  return slope === null ? "–" : `${slope.base} to the power of ${slope.exponent}`;
}

function secondText(row: ProgressRow, name: Second): string {
  const value = secondOf(row, name);
  if (value === null) return "–";
  return name === "infosets" ? count(value) : name === "speed" ? millions(value) : short(value);
}

function columnsOf(seconds: readonly Second[], isMeasured: boolean, hasBeta: boolean, rows: readonly ReadRow[]): Column[] {
  const valueOf = (player: Player, other: string): string => {
    const seats = new Set(rows.map(({ detail }) => detail.terms.seats[player]));
    return `value of ${seats.size === 1 ? [...seats][0] : other}`;
  };
  const isGeneralSum = rows.some(({ row }) => row?.value_1 != null);
  const columns: Column[] = [
    { name: "iteration", words: "iteration", text: (row) => count(row.iteration) },
    { name: "seconds", words: "time", text: (row) => duration(row.seconds) },
    ...!isMeasured ? [] : [{
      name: "exploitability",
      words: "exploitability",
      text: (row: ProgressRow, { unit }: RunDetail) => withUnit(short(row.exploitability), unit),
    },
    {
      name: "value",
      words: valueOf(0, "the first player"),
      text: (row: ProgressRow, { unit }: RunDetail) => withUnit(signed(row.value, 5), unit),
    },
    ...!isGeneralSum ? [] : [{
      name: "value_1",
      words: valueOf(1, "the second player"),
      text: (row: ProgressRow, { unit }: RunDetail) => withUnit(signed(row.value_1, 5), unit),
    }]],
  ];
  columns.push(...seconds.map((name) => ({
    name, words: SECOND_WORDS[name], text: (row: ProgressRow) => secondText(row, name),
  })));
  if (rows.some(({ slope }) => slope !== null)) {
    columns.push({ name: "slope", words: "falls like", text: (_, __, index) => lawWords(rows[index]?.slope ?? null) });
  }
  if (hasBeta) columns.push({ name: "beta", words: "β", text: (row) => short(row.beta) });
  return columns;
}

// A 13 × 13 grid of hands as SVG. One cell is in the tab order; arrow keys move from there.

import { create, type Selection } from "d3-selection";

import { HANDS, NUM_RANKS, type HandClass } from "../charts/hands";
import type { CellPaint } from "./pushfold_paint";

/** Side of a cell in SVG units; on the page it is scaled to the room available. */
export const CELL = 40;
export const SIDE = NUM_RANKS * CELL;

/** The painted part of a cell: a line between cells stays free. */
const SPAN = CELL - 1;
/** Positions of the two lines of text in a cell. */
const [NAME_ABOVE, DETAIL_BELOW] = [15, 29];

/**
 * The strength of a colour at which text on it changes between black and white: `STRONG` in the light
 * theme, `MEDIUM` in the dark one, whose colours are paler.
 */
const [MEDIUM, STRONG] = [0.54, 0.7];
const MARK = "M30,0H39V9Z";

/** The elements of a cell that change, and their current content. */
interface CellParts {
  cell: SVGGElement;
  fill: SVGRectElement;
  name: SVGTextElement;
  detail: SVGTextElement;
  shown: string;
}

export class HandGrid {
  readonly element: SVGSVGElement;
  private readonly cells: CellParts[];
  private readonly cursor: Selection<SVGRectElement, undefined, null, undefined>;
  private readonly nodes: SVGGElement[];
  private tabStop = 0;

  constructor(action: string, label: string, private readonly onLook: (hand: number) => void) {
    const svg = create<SVGSVGElement>("svg:svg")
      .attr("class", "grid").attr("data-action", action).attr("viewBox", `0 0 ${SIDE} ${SIDE}`)
      .attr("role", "grid").attr("aria-label", label);
    const rows = svg.selectAll<SVGGElement, HandClass[]>("g.row").data(rowsOfHands()).join("g")
      .attr("class", "row").attr("role", "row");
    const cells = rows.selectAll<SVGGElement, HandClass>("g.cell").data((row) => row).join("g")
      .attr("class", "cell").attr("role", "gridcell").attr("tabindex", -1)
      .attr("data-hand", (hand) => hand.name)
      .attr("transform", (hand) => `translate(${hand.column * CELL},${hand.row * CELL})`);
    this.cells = partsOf(cells);
    this.nodes = cells.nodes();
    this.cursor = svg.append("rect").attr("class", "cursor").attr("visibility", "hidden")
      .attr("x", 1).attr("y", 1).attr("width", CELL - 2).attr("height", CELL - 2).attr("rx", 2);
    this.nodes[0]?.setAttribute("tabindex", "0");
    const element = svg.node();
    if (element === null) throw new Error("the grid could not be created");
    this.element = element;
    element.addEventListener("pointerover", (event) => this.look(event.target));
    element.addEventListener("focusin", (event) => this.look(event.target));
    element.addEventListener("keydown", (event) => this.move(event));
  }

  /** Show the cells, and the marks of a published chart if requested. */
  draw(paints: readonly CellPaint[], withPublished: boolean): void {
    this.cells.forEach((parts, hand) => {
      const paint = paints[hand];
      if (paint === undefined) return;
      // Few cells change from one stack to the next: do not touch the others.
      const look = [classOf(paint, withPublished), paint.width, paint.strength, paint.detail, paint.label].join();
      if (look === parts.shown) return;
      parts.shown = look;
      parts.cell.setAttribute("data-frequency", paint.frequency.toFixed(4));
      parts.cell.setAttribute("aria-label", spoken(paint, withPublished));
      parts.cell.setAttribute("class", classOf(paint, withPublished));
      parts.fill.setAttribute("width", String(paint.width * SPAN));
      parts.fill.setAttribute("fill-opacity", String(paint.strength));
      parts.name.setAttribute("y", String(paint.detail ? NAME_ABOVE : SPAN / 2));
      parts.detail.textContent = paint.detail;
    });
  }

  /** Outline the current hand, whichever grid it was chosen in. */
  mark(hand: number): void {
    const { column, row } = HANDS[hand] as HandClass;
    this.cursor.attr("visibility", "visible").attr("transform", `translate(${column * CELL},${row * CELL})`);
  }

  private look(target: EventTarget | null): void {
    const cell = target instanceof Element ? target.closest<SVGGElement>(".cell") : null;
    const hand = cell === null ? -1 : this.nodes.indexOf(cell);
    if (hand >= 0) this.onLook(hand);
    if (hand >= 0 && cell === document.activeElement) this.stopAt(hand);
  }

  private stopAt(hand: number): void {
    this.nodes[this.tabStop]?.setAttribute("tabindex", "-1");
    this.nodes[hand]?.setAttribute("tabindex", "0");
    this.tabStop = hand;
  }

  private move(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    const next = neighbour(this.tabStop, event.key, event.ctrlKey);
    if (next === null) return;
    event.preventDefault();
    this.nodes[next]?.focus();
  }
}

/** The hand that a key moves to; null for keys that do not move. */
export function neighbour(hand: number, key: string, withControl: boolean): number | null {
  const { row, column } = HANDS[hand] as HandClass;
  const last = NUM_RANKS - 1;
  const to: Record<string, [number, number]> = {
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    Home: [withControl ? 0 : row, 0],
    End: [withControl ? last : row, last],
  };
  const place = to[key];
  if (place === undefined) return null;
  const [toRow, toColumn] = place.map((one) => Math.max(0, Math.min(last, one))) as [number, number];
  return toRow * NUM_RANKS + toColumn;
}

/** Draw the parts of the cells. */
function partsOf(cells: Selection<SVGGElement, HandClass, SVGGElement, HandClass[]>): CellParts[] {
  const text = (name: string, y: number): Selection<SVGTextElement, HandClass, SVGGElement, HandClass[]> =>
    cells.append("text").attr("class", name).attr("x", SPAN / 2).attr("y", y);
  cells.append("rect").attr("class", "base").attr("width", SPAN).attr("height", SPAN);
  const fills = cells.append("rect").attr("class", "fill").attr("height", SPAN).attr("width", 0).nodes();
  cells.append("path").attr("class", "mark").attr("d", MARK);
  cells.append("rect").attr("class", "outline")
    .attr("x", 1.5).attr("y", 1.5).attr("width", SPAN - 3).attr("height", SPAN - 3);
  const names = text("name", SPAN / 2).text((hand) => hand.name).nodes();
  const details = text("detail", DETAIL_BELOW).nodes();
  return cells.nodes().map((cell, index) => ({
    cell,
    fill: fills[index] as SVGRectElement,
    name: names[index] as SVGTextElement,
    detail: details[index] as SVGTextElement,
    shown: "",
  }));
}

function rowsOfHands(): HandClass[][] {
  return Array.from({ length: NUM_RANKS }, (_, row) => HANDS.slice(row * NUM_RANKS, (row + 1) * NUM_RANKS));
}

function classOf(cell: CellPaint, withPublished: boolean): string {
  const names = ["cell", cell.tone];
  if (cell.frequency > 0.5) names.push("played");
  if (cell.tone === "play" && cell.isMixed) names.push("mixed");
  else if (cell.width === 1 && cell.strength > MEDIUM) names.push(cell.strength > STRONG ? "medium strong" : "medium");
  if (withPublished && cell.published) names.push("in-published");
  if (withPublished && cell.differs) names.push("differs");
  return names.join(" ");
}

function spoken(cell: CellPaint, withPublished: boolean): string {
  if (!withPublished || cell.published === null) return cell.label;
  return `${cell.label}, published ${cell.published ? "yes" : "no"}${cell.differs ? ", differs" : ""}`;
}

// A 13 × 13 grid of hands as SVG. One cell takes part in the order of tabs; arrows move from there.

import { create, type Selection } from "d3-selection";

import { HANDS, NUM_RANKS, type HandClass } from "../charts/hands";
import type { CellPaint } from "./pushfold_paint";

/** Side of a cell in the drawing's own units; on the page it is as large as there is room. */
export const CELL = 40;
export const SIDE = NUM_RANKS * CELL;

/** From this strength of a colour on, text on it is light instead of dark or the other way round. */
const STRONG = 0.62;
const MARK = "M30,0H39V9Z";

type Cells = Selection<SVGGElement, HandClass, SVGGElement, unknown>;

export class HandGrid {
  readonly element: SVGSVGElement;
  private readonly cells: Cells;
  private readonly cursor: Selection<SVGRectElement, undefined, null, undefined>;
  private readonly nodes: SVGGElement[];
  private tabStop = 0;

  constructor(action: string, label: string, private readonly onLook: (hand: number) => void) {
    const svg = create<SVGSVGElement>("svg:svg")
      .attr("class", "grid").attr("data-action", action).attr("viewBox", `0 0 ${SIDE} ${SIDE}`)
      .attr("role", "grid").attr("aria-label", label);
    const rows = svg.selectAll<SVGGElement, HandClass[]>("g.row").data(rowsOfHands()).join("g")
      .attr("class", "row").attr("role", "row");
    this.cells = rows.selectAll<SVGGElement, HandClass>("g.cell").data((row) => row).join("g")
      .attr("class", "cell").attr("role", "gridcell").attr("tabindex", -1)
      .attr("data-hand", (hand) => hand.name)
      .attr("transform", (hand) => `translate(${hand.column * CELL},${hand.row * CELL})`);
    this.drawParts();
    this.cursor = svg.append("rect").attr("class", "cursor").attr("visibility", "hidden")
      .attr("x", 1).attr("y", 1).attr("width", CELL - 2).attr("height", CELL - 2).attr("rx", 2);
    this.nodes = this.cells.nodes();
    this.nodes[0]?.setAttribute("tabindex", "0");
    const element = svg.node();
    if (element === null) throw new Error("no grid was made");
    this.element = element;
    element.addEventListener("pointerover", (event) => this.look(event.target));
    element.addEventListener("focusin", (event) => this.look(event.target));
    element.addEventListener("keydown", (event) => this.move(event));
  }

  /** Show the cells, and the marks of a published chart if they are wanted. */
  draw(paints: readonly CellPaint[], withPublished: boolean): void {
    const of = (hand: HandClass): CellPaint => paints[indexOf(hand)] as CellPaint;
    this.cells
      .attr("data-frequency", (hand) => of(hand).frequency.toFixed(4))
      .attr("aria-label", (hand) => spoken(of(hand), withPublished))
      .attr("class", (hand) => classOf(of(hand), withPublished));
    this.cells.select<SVGRectElement>(".fill")
      .attr("width", (hand) => of(hand).width * (CELL - 1))
      .attr("fill-opacity", (hand) => of(hand).strength);
    this.cells.select<SVGTextElement>(".name").attr("y", (hand) => (of(hand).detail ? 15 : CELL / 2));
    this.cells.select<SVGTextElement>(".detail").text((hand) => of(hand).detail);
  }

  /** Outline the hand that is looked at, in this grid or in the other. */
  mark(hand: number): void {
    const { column, row } = HANDS[hand] as HandClass;
    this.cursor.attr("visibility", "visible").attr("transform", `translate(${column * CELL},${row * CELL})`);
  }

  private drawParts(): void {
    const side = CELL - 1;
    this.cells.append("rect").attr("class", "base").attr("width", side).attr("height", side);
    this.cells.append("rect").attr("class", "fill").attr("height", side).attr("width", 0);
    this.cells.append("path").attr("class", "mark").attr("d", MARK);
    this.cells.append("rect").attr("class", "outline")
      .attr("x", 1.5).attr("y", 1.5).attr("width", side - 3).attr("height", side - 3);
    this.cells.append("text").attr("class", "name").attr("x", side / 2).text((hand) => hand.name);
    this.cells.append("text").attr("class", "detail").attr("x", side / 2).attr("y", 29);
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

/** Where a key leads from a hand of the grid; null for keys that do not move. */
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

function rowsOfHands(): HandClass[][] {
  return Array.from({ length: NUM_RANKS }, (_, row) => HANDS.slice(row * NUM_RANKS, (row + 1) * NUM_RANKS));
}

function indexOf(hand: HandClass): number {
  return hand.row * NUM_RANKS + hand.column;
}

function classOf(cell: CellPaint, withPublished: boolean): string {
  const names = ["cell", cell.tone];
  if (cell.frequency > 0.5) names.push("played");
  if (cell.tone === "play" && cell.isMixed) names.push("mixed");
  else if (cell.width === 1 && cell.strength > STRONG) names.push("strong");
  if (withPublished && cell.published) names.push("in-published");
  if (withPublished && cell.differs) names.push("differs");
  return names.join(" ");
}

function spoken(cell: CellPaint, withPublished: boolean): string {
  if (!withPublished || cell.published === null) return cell.label;
  return `${cell.label}, published ${cell.published ? "yes" : "no"}${cell.differs ? ", differs" : ""}`;
}

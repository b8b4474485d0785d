// A 13 × 13 grid of hand classes as SVG, for any view. A cell is split by its actions from the left, as high as
// the hand's weight in the range; or it has one shade. One cell is in the tab order; arrow keys move from there.

import { create, type Selection } from "d3-selection";

import { HANDS, NUM_RANKS, type HandClass } from "./hands";

/** A part of a cell. */
export interface Segment {
  /** How often the action is taken, 0–1. */
  share: number;
  /** The classes of the action, see action_styles.ts. */
  style: string;
}

export interface GridCell {
  /** From the left; what they leave of the cell stays blank. */
  segments: readonly Segment[];
  /** How much of the hand is in the range, 0–1: the height of the segments, from below. */
  weight: number;
  /** A colour over the whole cell in place of segments; `tone` is its class. */
  shade: { tone: string; strength: number } | null;
  /** Small text below the name. */
  text: string;
  isBold: boolean;
  /** A triangle in the corner, an outline, or both. */
  marks: readonly ("corner" | "outline")[];
  /** For screen readers. */
  label: string;
  /** A number that scripts and tests may read, as data-frequency. */
  frequency: number;
}

/** Side of a cell in SVG units; on the page it is scaled to the room available. */
export const CELL = 40;
export const SIDE = NUM_RANKS * CELL;

/** The painted part of a cell: a line between cells stays free. */
const SPAN = CELL - 1;
/** Positions of the two lines of text in a cell. */
const [NAME_ABOVE, DETAIL_BELOW] = [15, 29];
/** A segment this wide, in a cell this full, determines the colour of the text. */
const WHOLE = 0.995;
/** Strengths of a shade at which text on it changes between black and white, by tone and theme: see the style sheet. */
const DEPTHS = { medium: 0.54, middling: 0.575, strong: 0.7, deep: 0.725 };
const CORNER = "M30,0H39V9Z";

/** The elements of a cell that change, and their current content. */
interface CellParts {
  cell: SVGGElement;
  fills: SVGGElement;
  shade: SVGRectElement;
  name: SVGTextElement;
  detail: SVGTextElement;
  shown: string;
}

export interface GridEvents {
  /** The hand under the pointer or the focus. */
  look(hand: number): void;
  /** The hand was clicked, or Enter was pressed on it. */
  choose?(hand: number): void;
}

export class HandGrid {
  readonly element: SVGSVGElement;
  private readonly cells: CellParts[];
  private readonly cursor: Selection<SVGRectElement, undefined, null, undefined>;
  private readonly nodes: SVGGElement[];
  private tabStop = 0;

  constructor(label: string, private readonly events: GridEvents) {
    const svg = create<SVGSVGElement>("svg:svg")
      .attr("class", "hand-grid grid").attr("viewBox", `0 0 ${SIDE} ${SIDE}`)
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
    element.addEventListener("click", (event) => this.choose(event.target));
    element.addEventListener("keydown", (event) => this.pressed(event));
  }

  draw(cells: readonly GridCell[]): void {
    this.cells.forEach((parts, hand) => {
      const cell = cells[hand];
      if (cell === undefined) return;
      // Few cells change from one frame to the next: do not touch the others.
      const look = JSON.stringify(cell);
      if (look === parts.shown) return;
      parts.shown = look;
      parts.cell.setAttribute("data-frequency", cell.frequency.toFixed(4));
      parts.cell.setAttribute("aria-label", cell.label);
      parts.cell.setAttribute("class", classOf(cell));
      parts.fills.replaceChildren(...rectsOf(cell));
      parts.shade.setAttribute("fill-opacity", String(cell.shade?.strength ?? 0));
      parts.name.setAttribute("y", String(cell.text ? NAME_ABOVE : SPAN / 2));
      parts.detail.textContent = cell.text;
    });
  }

  /** Outline a hand. */
  mark(hand: number): void {
    const { column, row } = HANDS[hand] as HandClass;
    this.cursor.attr("visibility", "visible").attr("transform", `translate(${column * CELL},${row * CELL})`);
  }

  private handAt(target: EventTarget | null): number {
    const cell = target instanceof Element ? target.closest<SVGGElement>(".cell") : null;
    return cell === null ? -1 : this.nodes.indexOf(cell);
  }

  private look(target: EventTarget | null): void {
    const hand = this.handAt(target);
    if (hand < 0) return;
    this.events.look(hand);
    if (this.nodes[hand] === document.activeElement) this.stopAt(hand);
  }

  private choose(target: EventTarget | null): void {
    const hand = this.handAt(target);
    if (hand >= 0) this.events.choose?.(hand);
  }

  private stopAt(hand: number): void {
    this.nodes[this.tabStop]?.setAttribute("tabindex", "-1");
    this.nodes[hand]?.setAttribute("tabindex", "0");
    this.tabStop = hand;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    if (event.key === "Enter") {
      event.preventDefault();
      this.choose(event.target);
      return;
    }
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

/** What one combo of a hand class does. */
export interface ComboMix {
  /** How much of it is in the range, 0–1. */
  weight: number;
  /** How often it takes each action. */
  shares: readonly number[];
}

/** Weight and segments of a cell, from the combos behind it: the mean weight, and shares weighted by it. */
export function gathered(combos: readonly ComboMix[], styles: readonly string[]): Pick<GridCell, "segments" | "weight"> {
  const total = combos.reduce((sum, { weight }) => sum + weight, 0);
  const share = (index: number): number => (
    total === 0 ? 0 : combos.reduce((sum, { weight, shares }) => sum + weight * (shares[index] ?? 0), 0) / total);
  return {
    weight: combos.length === 0 ? 0 : total / combos.length,
    segments: styles.map((style, index) => ({ style, share: share(index) })),
  };
}

/** Draw the parts of the cells. */
function partsOf(cells: Selection<SVGGElement, HandClass, SVGGElement, HandClass[]>): CellParts[] {
  const text = (name: string, y: number): Selection<SVGTextElement, HandClass, SVGGElement, HandClass[]> =>
    cells.append("text").attr("class", name).attr("x", SPAN / 2).attr("y", y);
  cells.append("rect").attr("class", "base").attr("width", SPAN).attr("height", SPAN);
  const fills = cells.append("g").nodes();
  const shades = cells.append("rect").attr("class", "shade").attr("height", SPAN).attr("width", SPAN)
    .attr("fill-opacity", 0).nodes();
  cells.append("path").attr("class", "mark").attr("d", CORNER);
  cells.append("rect").attr("class", "outline")
    .attr("x", 1.5).attr("y", 1.5).attr("width", SPAN - 3).attr("height", SPAN - 3);
  const names = text("name", SPAN / 2).text((hand) => hand.name).nodes();
  const details = text("detail", DETAIL_BELOW).nodes();
  return cells.nodes().map((cell, index) => ({
    cell,
    fills: fills[index] as SVGGElement,
    shade: shades[index] as SVGRectElement,
    name: names[index] as SVGTextElement,
    detail: details[index] as SVGTextElement,
    shown: "",
  }));
}

function rectsOf({ segments, weight, shade }: GridCell): SVGRectElement[] {
  if (shade !== null || weight <= 0) return [];
  let left = 0;
  return segments.filter(({ share }) => share > 0).map(({ share, style }) => {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const width = Math.min(share, 1 - left) * SPAN;
    rect.setAttribute("class", `fill ${style}`);
    rect.setAttribute("x", String(left * SPAN));
    rect.setAttribute("width", String(width));
    rect.setAttribute("y", String((1 - weight) * SPAN));
    rect.setAttribute("height", String(weight * SPAN));
    left += share;
    return rect;
  });
}

function rowsOfHands(): HandClass[][] {
  return Array.from({ length: NUM_RANKS }, (_, row) => HANDS.slice(row * NUM_RANKS, (row + 1) * NUM_RANKS));
}

function classOf({ segments, weight, shade, isBold, marks }: GridCell): string {
  const names = ["cell"];
  if (isBold) names.push("bold");
  if (marks.includes("corner")) names.push("cornered");
  if (marks.includes("outline")) names.push("outlined");
  if (shade !== null) {
    names.push("shaded", shade.tone);
    names.push(...Object.entries(DEPTHS).filter(([, from]) => shade.strength > from).map(([depth]) => depth));
    return names.join(" ");
  }
  const widest = segments.find(({ share }) => share >= WHOLE);
  // Text on one colour is in the ink of that colour; on several it has a halo.
  if (widest !== undefined && weight >= WHOLE) names.push("whole", widest.style);
  else if (weight > 0 && segments.some(({ share }) => share > 0)) names.push("mixed");
  return names.join(" ");
}

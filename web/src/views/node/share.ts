// Sharing a node: its link, or one picture of board, line, mix, grid and equity graph.

import * as api from "../../api";
import { cardsOf } from "../../card_text";
import { h } from "../../dom";
import { downloadPng, downloadSvg } from "../../download";
import { messageOf } from "../../errors";
import { percent } from "../../format";
import { Menu } from "../../menu";
import { saveRange } from "../../range_library";
import { SUIT_SIGNS } from "../play/faces";

const NAMESPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [1000, 640];
const MARGIN = 28;
const GRID = 500;
const SHOWN_MS = 2500;

export interface Shared {
  /** The cards on the board, `Td9d6h`. */
  board: string;
  /** The line and who acts: "check, bet 66 · IP acts". */
  words: string;
  /** What the picture is about, in small letters below: pot and EVs. */
  facts: string;
  actions: { name: string; style: string; share: number | null }[];
  grid: SVGSVGElement;
  /** The equity graph, if both ranges are known, with the names of the seats. */
  graph: { svg: SVGSVGElement; words: string; seats: readonly [string, string] } | null;
  name: string;
}

export class ShareMenu {
  readonly element: HTMLElement;
  private readonly button = h("button", {
    class: "button", type: "button", "aria-haspopup": "menu", onclick: () => this.open(),
  }, "share");
  private readonly status = h("span", { class: "soft", role: "status" });
  private readonly menu = new Menu();

  /** `shared` is asked for when a picture is saved; it may have to fetch the ranges first. */
  constructor(
    private readonly shared: () => Promise<Shared | null>,
    /** The range that is shown, combo by combo, and a name for it; null if it is empty. */
    private readonly range: () => { text: string; name: string } | null,
  ) {
    this.element = h("span", { class: "group share-menu" }, this.status, this.button);
  }

  private open(): void {
    this.menu.open(this.button, [
      { text: "copy the link", note: "to this node, with what is shown", isChosen: false, choose: () => void this.copy() },
      { text: "copy the range", note: "of this player, as text", isChosen: false, choose: () => void this.copyRange() },
      { text: "keep the range", note: "in the library of ranges, for new spots", isChosen: false, choose: () => void this.keepRange() },
      { text: "save a picture, PNG", note: "board, line, mix, grid and equity", isChosen: false, choose: () => void this.save(downloadPng) },
      { text: "save a picture, SVG", note: "the same, to edit or print", isChosen: false, choose: () => void this.save(downloadSvg) },
    ]);
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("link copied");
    } catch {
      this.say("copy the address of the page");
    }
  }

  private async copyRange(): Promise<void> {
    const range = this.range();
    if (range === null) return;
    try {
      const { text } = await api.editRange(range.text, {});
      await navigator.clipboard.writeText(text);
      this.say("range copied");
    } catch (error) {
      this.say(messageOf(error));
    }
  }

  private async keepRange(): Promise<void> {
    const range = this.range();
    if (range === null) return;
    try {
      const { text } = await api.editRange(range.text, {});
      await saveRange(range.name, text);
      this.say(`kept as ${range.name}`);
    } catch (error) {
      this.say(messageOf(error));
    }
  }

  private async save(write: (svg: SVGSVGElement, name: string) => void | Promise<void>): Promise<void> {
    const shared = await this.shared();
    if (shared === null) return;
    const svg = pictureOf(shared);
    // Styles are computed only for what is in the page; it is drawn out of sight.
    const stage = h("div", { class: "picture-stage", "aria-hidden": "true" }, svg);
    document.body.append(stage);
    try {
      await write(svg, shared.name);
      this.say("saved");
    } catch (error) {
      this.say(messageOf(error));
    } finally {
      stage.remove();
    }
  }

  private say(words: string): void {
    this.status.textContent = words;
    window.setTimeout(() => {
      if (this.status.textContent === words) this.status.textContent = "";
    }, SHOWN_MS);
  }
}

/** The picture, in the size in which it is saved. */
export function pictureOf({ board, words, facts, actions, grid, graph }: Shared): SVGSVGElement {
  const svg = element("svg", { class: "node-picture", width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` }) as SVGSVGElement;
  let left = MARGIN;
  for (const card of cardsOf(board)) {
    svg.append(text(card.charAt(0) + SUIT_SIGNS[card.charAt(1) as keyof typeof SUIT_SIGNS], left, 52, "picture-card", { "data-suit": card.charAt(1) }));
    left += 50;
  }
  svg.append(text(words, left + (board === "" ? 0 : 14), 50, "picture-title"));
  svg.append(text(facts, MARGIN, 82, "picture-facts"));
  const hands = grid.cloneNode(true) as SVGSVGElement;
  for (const [name, value] of Object.entries({ x: MARGIN, y: 104, width: GRID, height: GRID })) hands.setAttribute(name, String(value));
  hands.querySelector(".cursor")?.remove();
  svg.append(hands);
  const right = MARGIN + GRID + 34;
  const span = WIDTH - right - MARGIN;
  let top = 104;
  if (actions.length > 0) {
    let at = right;
    for (const { style, share } of actions) {
      const width = span * (share ?? 0);
      if (width > 0) svg.append(element("rect", { class: `picture-fill ${style}`, x: at, y: top, width, height: 22 }));
      at += width;
    }
    top += 46;
    for (const { name, style, share } of actions) {
      svg.append(element("rect", { class: `picture-fill ${style}`, x: right, y: top - 12, width: 13, height: 13 }));
      svg.append(text(name, right + 22, top, "picture-text"), text(percent(share), right + span, top, "picture-number"));
      top += 25;
    }
    top += 8;
  }
  if (graph !== null) {
    const curve = graph.svg.cloneNode(true) as SVGSVGElement;
    for (const [name, value] of Object.entries({ x: right, y: top, width: span, height: (span * 230) / 360 })) curve.setAttribute(name, String(value));
    top += (span * 230) / 360 + 22;
    graph.seats.forEach((seat, index) => {
      const x = right + 90 * index;
      svg.append(element("rect", { class: `picture-fill seat-${index}`, x, y: top - 9, width: 16, height: 4 }), text(seat, x + 24, top, "picture-text"));
    });
    svg.append(curve, text(graph.words, right, top + 26, "picture-facts"));
  }
  svg.append(text("Untilt", WIDTH - MARGIN, HEIGHT - 14, "picture-mark"));
  return svg;
}

function element(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

function text(words: string, x: number, y: number, style: string, more: Record<string, string> = {}): SVGElement {
  const made = element("text", { class: style, x, y, ...more });
  made.textContent = words;
  return made;
}

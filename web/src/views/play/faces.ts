// Cards, dice and other things that players hold, drawn from the server's text.

import { h } from "../../dom";

export type Face =
  | { kind: "suited"; rank: string; suit: Suit }
  | { kind: "rank"; rank: string }
  | { kind: "text"; text: string };

type Suit = "s" | "h" | "d" | "c";

// The variation selector after a suit asks for a text glyph, not an emoji.
export const SUIT_SIGNS: Record<Suit, string> = { s: "♠\uFE0E", h: "♥\uFE0E", d: "♦\uFE0E", c: "♣\uFE0E" };
const SUIT_WORDS: Record<Suit, string> = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const RANK_WORDS: Record<string, string> = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };
const CARDS: readonly string[] = ["card", "cards", "hand", "hand class", "board"];
const DICE: readonly string[] = ["die", "dice"];

/** Parse a text: a card such as Js or Td; a rank alone, such as K, 7 or 13; or anything else. */
export function parseFace(text: string): Face {
  const suited = /^([2-9TJQKA]|10)([shdc])$/.exec(text);
  if (suited) return { kind: "suited", rank: suited[1] ?? "", suit: suited[2] as Suit };
  if (/^([A-Z]|\d{1,2})$/.test(text)) return { kind: "rank", rank: text };
  return { kind: "text", text };
}

/** The card in words: "jack of spades". */
export function faceWords(face: Face): string {
  if (face.kind === "text") return face.text;
  const rank = RANK_WORDS[face.rank] ?? face.rank;
  return face.kind === "suited" ? `${rank} of ${SUIT_WORDS[face.suit]}` : rank;
}

/** How a game's things are drawn, by the word that it has for them. */
export function shapeOf(word: string): "card" | "die" | "tile" {
  if (CARDS.includes(word)) return "card";
  return DICE.includes(word) ? "die" : "tile";
}

/** A thing that is seen: a card, a die, or a text under the game's word for it. */
export function faceElement(text: string, word: string): HTMLElement {
  const shape = shapeOf(word);
  if (shape === "card") return cardElement(text);
  const common = { role: "img", "aria-label": `${word} ${text}`, "data-face": text };
  if (shape === "die") return h("span", { ...common, class: "die" }, text);
  return h("span", { ...common, class: "card tile" },
    h("small", {}, word), h("span", { class: "text" }, text));
}

/** A thing that the opponent holds and nobody else sees. */
export function hiddenElement(word: string): HTMLElement {
  const shape = shapeOf(word);
  if (shape === "card") return h("span", { class: "card down", role: "img", "aria-label": "face down" });
  const common = { role: "img", "aria-label": `hidden ${word}` };
  if (shape === "die") return h("span", { ...common, class: "die hidden-die" }, "?");
  return h("span", { ...common, class: "card tile hidden-tile" }, h("small", {}, word), h("span", { class: "text" }, "?"));
}

export function cardElement(text: string): HTMLElement {
  const face = parseFace(text);
  const common = { role: "img", "aria-label": faceWords(face), "data-face": text };
  if (face.kind === "text") return h("span", { ...common, class: "card tile" }, h("span", { class: "text" }, face.text));
  if (face.kind === "rank") {
    return h("span", { ...common, class: "card plain" }, h("span", { class: "rank" }, face.rank));
  }
  return h("span", { ...common, class: "card suited", "data-suit": face.suit },
    h("span", { class: "rank" }, face.rank), h("span", { class: "suit" }, SUIT_SIGNS[face.suit]));
}

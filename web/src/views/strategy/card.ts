// A small card face, or a plain tile if the text is not a single card.

import { h } from "../../dom";
import { faceWords, parseFace, SUIT_SIGNS } from "../play/faces";

export function cardFace(card: string): HTMLElement {
  const face = parseFace(card);
  if (face.kind === "text") return h("span", { class: "face tile", title: card }, card);
  const suit = face.kind === "suited" ? face.suit : null;
  return h("span", { class: "face", "data-suit": suit, title: faceWords(face) },
    face.rank, suit !== null && SUIT_SIGNS[suit]);
}

/** The board next to a private card: smaller, and labelled as the board. */
export function boardFace(board: string): HTMLElement {
  const text = `board ${board}`;
  return h("span", { class: "face board", role: "img", "aria-label": text, title: text }, board);
}

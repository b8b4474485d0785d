// A chart of a blueprint as cells of the grid, and the combos behind a cell.

import { cardsOf } from "../card_text";
import type { GridCell } from "../charts/hand_grid";
import { combosOf, HANDS } from "../charts/hands";
import { DECK_RANKS, DECK_SUITS } from "../deck";
import { percent } from "../format";
import type { ActionData, ChartNode } from "../model";
import { handsByClass } from "./spot_cells";

/** Less than this would be shown as 0.0 %. */
const LEAST = 0.0005;

export interface ChartCombo {
  /** AsKh. */
  name: string;
  /** The part that gets here, 0–1. */
  weight: number;
  shares: number[];
}

/** The cells of the player who acts; `styles` are those of the actions. */
export function chartCells(node: ChartNode, styles: readonly string[]): GridCell[] {
  return HANDS.map(({ name }, hand) => {
    const weight = node.class_weight[hand] ?? 0;
    const shares = node.class_mix.map((row) => row[hand] ?? 0);
    const isHere = weight >= LEAST;
    return {
      segments: isHere ? styles.map((style, action) => ({ style, share: shares[action] ?? 0 })) : [],
      weight,
      shade: null,
      text: "",
      isBold: false,
      marks: [],
      label: isHere ? `${name}: ${mixWords(node.actions, shares)}; weight ${percent(weight)}` : `${name}: not here`,
      frequency: weight,
    };
  });
}

/** The combos of a class that the board leaves. */
export function chartCombos(node: ChartNode, hand: number): ChartCombo[] {
  const dealt = new Set(cardsOf(node.board));
  const cls = HANDS[hand];
  if (cls === undefined) return [];
  const names = combosOf(cls).filter((combo) => !cardsOf(combo).some((card) => dealt.has(card)));
  const places = handsByClass(node, node.board)[hand] ?? [];
  return names.map((name, index) => {
    const place = places[index] ?? -1;
    return { name, weight: node.hand_weight[place] ?? 0, shares: node.hand_mix.map((row) => row[place] ?? 0) };
  });
}

export function mixWords(actions: readonly ActionData[], shares: readonly (number | null)[]): string {
  return actions.map(({ name }, action) => `${name} ${percent(shares[action])}`).join(", ");
}

/** The board with this many more cards, drawn at random. */
export function dealtAtRandom(board: string, missing: number, random: () => number = Math.random): string {
  const dealt = cardsOf(board);
  const left = [...DECK_SUITS].flatMap((suit) => [...DECK_RANKS].map((rank) => rank + suit)).filter((card) => !dealt.includes(card));
  for (let number = 0; number < missing; number += 1) dealt.push(...left.splice(Math.floor(random() * left.length), 1));
  return dealt.join("");
}

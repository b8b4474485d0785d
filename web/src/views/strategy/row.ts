// One infoset as a row: the decision, a bar of the strategy, and the value of each action. Built once,
// then updated in place, so bars move smoothly between frames.

import { actionClasses } from "../../action_styles";
import { h, setText } from "../../dom";
import { percent, signed } from "../../format";
import type { StrategyRow } from "../../model";
import { boardFace, cardFace } from "./card";
import type { ComparedRow, Other } from "./compare";

/** A reach below this is 0, except for rounding. */
const NEVER = 1e-9;
/** Values that differ by less are shown as equal. */
const VALUE_STEP = 0.0005;
/** At most this many actions are listed; the detail panel has all. */
export const MAX_LINES = 12;

interface ActionParts {
  segment: HTMLElement;
  /** The segment of the other run, if one is compared. */
  others: HTMLElement;
  line: HTMLElement;
  share: HTMLElement;
  value: HTMLElement;
}

export class RowElement {
  readonly element: HTMLLIElement;
  private readonly reachWord = h("span", { class: "reach-word" }, "own reach ");
  private readonly reach = h("span", {});
  private readonly parts: ActionParts[];
  private readonly otherBar = h("div", { class: "bar other", hidden: true, title: "the run compared" });
  private readonly difference = h("div", { class: "difference number", hidden: true });
  private shown: StrategyRow | null = null;

  /**
   * A row that is not under the heading of a card shows card and board itself; `words` then
   * describe the decision without the board.
   */
  constructor(row: StrategyRow, alone: { words: string } | null) {
    const styles = actionClasses(row.action_data);
    this.parts = row.actions.map((action, index) => actionParts(action, styles[index] ?? ""));
    const rest = this.parts.length > MAX_LINES ? this.parts.length - MAX_LINES + 1 : 0;
    const listed = this.parts.slice(0, this.parts.length - rest);
    const words = alone?.words ?? row.words;
    const faces = alone === null ? [] : [
      ...(row.card === "" ? [] : [cardFace(row.card)]),
      ...(row.board === "" || words === row.words ? [] : [boardFace(row.board)]),
    ];
    this.element = h("li", { class: "row", "data-label": row.label },
      h("div", { class: faces.length > 0 ? "what with-faces" : "what" },
        faces.length > 0 && h("span", { class: "faces" }, ...faces),
        h("button", { class: "words", type: "button", title: words === row.words ? null : row.words }, words),
        h("div", { class: "under" },
          // A line in a game's own notation is shown as its words, and so is a label without a line.
          row.words !== row.line && row.words !== row.label && h("span", { class: "line" }, row.line || "–"),
          h("span", { class: "reach", title: "How often the player's own moves lead here" },
            this.reachWord, this.reach),
        ),
      ),
      h("div", { class: "bars", "aria-hidden": "true" },
        h("div", { class: "bar" }, ...this.parts.map((part) => part.segment)), this.otherBar),
      h("div", { class: "actions" }, ...listed.map((part) => part.line),
        rest > 0 && h("div", { class: "soft" }, `${rest} more, open the row`)),
      this.difference,
    );
    this.otherBar.append(...this.parts.map((part) => part.others));
    this.update(row);
  }

  /** Whether the row can show these numbers without being rebuilt. */
  fits(row: StrategyRow): boolean {
    return this.shown !== null && textsOf(row) === textsOf(this.shown);
  }

  update(row: StrategyRow): void {
    if (row === this.shown) return;
    this.shown = row;
    this.compare("other" in row ? (row as ComparedRow).other : undefined);
    const best = Math.max(...row.values.map((value) => value ?? -Infinity));
    const worst = Math.min(...row.values.map((value) => value ?? Infinity));
    this.parts.forEach((part, index) => {
      const share = row.probabilities[index] ?? 0;
      const value = row.values[index] ?? null;
      part.segment.style.width = `${100 * share}%`;
      part.segment.dataset["probability"] = String(share);
      setText(part.share, percent(share));
      setText(part.value, signed(value));
      const isBest = value !== null && best - worst > VALUE_STEP && best - value < VALUE_STEP;
      part.value.classList.toggle("best", isBest);
    });
    const isNever = row.own_reach !== null && row.own_reach < NEVER;
    const reach = isNever ? "not reached" : percent(row.own_reach);
    this.reachWord.hidden = isNever || row.own_reach === null;
    setText(this.reach, row.own_reach === null ? "" : reach);
    this.element.classList.toggle("unreached", isNever);
    this.element.title = isNever ? "not reached" : "";
  }

  /** Show the strategy of the run compared; null if it lacks the infoset, undefined if there is none. */
  private compare(other: Other | null | undefined): void {
    this.otherBar.hidden = !other;
    this.difference.hidden = other === undefined;
    if (other === undefined) return;
    setText(this.difference, other === null ? "–" : percent(other.difference));
    this.parts.forEach((part, index) => {
      part.others.style.width = `${100 * (other?.probabilities[index] ?? 0)}%`;
    });
  }

  select(isSelected: boolean): void {
    this.element.classList.toggle("selected", isSelected);
    if (isSelected) this.element.setAttribute("aria-current", "true");
    else this.element.removeAttribute("aria-current");
  }
}

/** The mark of an action next to its name: its colour and pattern. */
export function swatch(style: string): HTMLElement {
  return h("span", { class: `swatch action ${style}`, "aria-hidden": "true" });
}

function actionParts(action: string, style: string): ActionParts {
  const [share, value] = [h("span", { class: "share" }), h("span", { class: "value" })];
  return {
    segment: h("span", { class: `segment ${style}`, "data-action": action },
      h("span", { class: "name" }, action)),
    line: h("div", { class: "action" }, swatch(style), h("span", { class: "name", title: action }, action), share, value),
    others: h("span", { class: `segment ${style}` }),
    share,
    value,
  };
}

/** A row without its numbers. Games of one family may share labels but not names of actions. */
function textsOf({ label, card, board, line, words, actions }: StrategyRow): string {
  return [label, card, board, line, words, ...actions].join("\n");
}

// The review after a hand: each decision, what the equilibrium does there, and what it cost.

import { actionClasses } from "../../action_styles";
import { fill, h } from "../../dom";
import { percent, signed } from "../../format";
import type { ReviewedDecision, TableTerms, Thought } from "../../model";
import { shapeOf } from "./faces";
import { MISTAKE } from "./score";

const MAX_LISTED = 12;
const LEAST_LISTED = 0.0005;

export function fillReview(element: HTMLElement, review: readonly ReviewedDecision[], terms: TableTerms): void {
  if (review.length === 0) {
    fill(element, h("h2", {}, "Review"), h("p", { class: "soft" }, "You had no decision in this hand."));
    return;
  }
  fill(element, h("h2", {}, "Review"), ...review.map((decision) => decisionElement(decision, terms)));
}

function decisionElement(decision: ReviewedDecision, terms: TableTerms): HTMLElement {
  const { unit } = terms;
  const styles = actionClasses(decision.action_data);
  const rows = decision.actions
    .map((action, index) => actionRow(decision, action, index, styles[index] ?? ""))
    .filter((_, index) => isListed(decision, index));
  return h("article", { class: "decision", "data-label": decision.label },
    h("header", {},
      h("h3", {}, decision.private ? `${heldWords(decision.private, terms)}: ` : "", decision.words),
      h("span", { class: `cost ${isMistake(decision) ? "mistake" : ""}` }, costWords(decision, unit))),
    h("table", {},
      h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, "action"),
        h("th", { scope: "col", colspan: 2 }, decision.insight !== null ? "blueprint" : terms.seats.length > 2 ? "strategy" : "equilibrium"),
        h("th", { scope: "col" }, "worth ", h("span", { class: "unit" }, unit)))),
      h("tbody", {}, ...rows)),
    decision.insight !== null && h("p", { class: "basis soft" }, basisWords(decision.insight)));
}

/** Where values come from, and what was solved. */
export function basisWords({ basis, solved }: Thought): string {
  const worth = basis ? `worth ${basis}` : "";
  if (solved === null) return worth;
  return `${worth ? `${worth}; ` : ""}solved in ${solved.seconds.toFixed(2)} s to ${percent(solved.share_of_pot)} of the pot`;
}

/** Of many sizes only those that are played, and the person's own. */
function isListed({ actions, chosen, probabilities }: ReviewedDecision, index: number): boolean {
  return actions.length <= MAX_LISTED || actions[index] === chosen || (probabilities[index] ?? 0) >= LEAST_LISTED;
}

function actionRow(decision: ReviewedDecision, action: string, index: number, style: string): HTMLElement {
  const share = decision.probabilities[index] ?? 0;
  const isChosen = action === decision.chosen;
  const bar = h("span", { class: `bar ${style}` });
  bar.style.width = `${100 * share}%`;
  return h("tr", { "data-action": action, class: isChosen ? "chosen" : null },
    h("th", { scope: "row" }, h("span", { class: "name", title: action }, action), isChosen ? h("span", { class: "yours" }, "your choice") : null),
    h("td", { class: "track" }, h("span", { class: "share" }, bar)),
    h("td", { class: "number" }, percent(share)),
    h("td", { class: "number" }, signed(decision.values[index], 3)));
}

/** What the person held: a card says what it is, a number needs its word. */
function heldWords(text: string, terms: TableTerms): string {
  return shapeOf(terms.private) === "card" ? text : `${terms.private} ${text}`;
}

function isMistake(decision: ReviewedDecision): boolean {
  return decision.cost !== null && decision.cost > decision.mistake;
}

function costWords({ cost, values, insight, mistake }: ReviewedDecision, unit: string): string {
  if (cost === null) return "cost unknown";
  const error = insight?.error ?? 0;
  if (cost > mistake) return `cost ${cost.toFixed(error > 0 ? 1 : 3)}${error > 0 ? ` ± ${error.toFixed(1)}` : ""} ${unit}`;
  if (insight !== null && cost > MISTAKE) return error > 0 ? `cost within the error of ±${error.toFixed(1)}` : "nearly the best";
  const known = values.filter((value) => value !== null);
  const best = Math.max(...known);
  return known.filter((value) => value >= best - MISTAKE).length > 1 ? "as good as any" : "the best choice";
}

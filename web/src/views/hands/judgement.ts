// How a review judges a decision: what each of the agent's actions is worth, and what the choice cost.

import { h } from "../../dom";
import { fixed, percent } from "../../format";
import type { JudgedDecision } from "../../model";

/** What the choice was, in words. */
export function didWords({ action, size }: JudgedDecision): string {
  return size === "no bet" ? action : `${action} ${size}`;
}

export function costText(cost: number | null): string {
  return cost === null ? "not judged" : cost < 0.005 ? "no cost" : `costs ${fixed(cost, 2)} bb`;
}

export function judgement(decision: JudgedDecision): HTMLElement {
  const { judged, reason, values_bb: values, cost_bb: cost, frequency, error_bb: error, judge, distance } = decision;
  if (!judged || values === null) return h("p", { class: "soft" }, `Not judged: ${reason ?? "unknown"}.`);
  const best = Math.max(...Object.values(values));
  const spread = Math.max(best - Math.min(...Object.values(values)), 1e-9);
  const rows = Object.entries(values).map(([name, value]) => {
    const bar = h("span", { class: "bar" });
    bar.style.width = `${(100 * (best - value)) / spread}%`;
    return h("tr", { class: value === best ? "best" : null },
      h("th", { scope: "row" }, name), h("td", { class: "number" }, `${fixed(value - best, 2)} bb`),
      h("td", { class: "track" }, bar));
  });
  const isMixed = frequency !== null && frequency > 0;
  return h("div", { class: "judgement" },
    h("p", {}, h("strong", { class: (cost ?? 0) > 0.005 ? "lost" : "won" }, `${didWords(decision)}: ${costText(cost)}`),
      error !== null && error > 0.005 && h("span", { class: "soft" }, ` ± ${fixed(error, 2)}`),
      h("span", { class: "soft" }, isMixed ? ` · the agent does this ${percent(frequency, 0)} of the time` : " · the agent never does this")),
    h("p", { class: "soft" }, judge === "ranges" ? "Judged by solving the rest of the hand with preset ranges." : `Judged by ${judge}${
      distance !== null && distance > 1.01 ? `, whose stacks differ by a factor of ${fixed(distance, 2)}` : ""}.`),
    h("table", {}, h("caption", { class: "spoken" }, "what each action is worth less than the best"), h("tbody", {}, ...rows)));
}

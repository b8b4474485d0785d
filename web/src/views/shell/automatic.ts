// The view that a run opens with, if the address names none.

import type { RunSummary } from "../../model";

type Known = Pick<RunSummary, "views" | "status" | "last" | "sparkline">;

/** The spot if it is solved, the chart of a trained blueprint, its convergence if there is a curve to see, else the first other view; null if nothing is there yet. */
export function automaticView({ views, status, last, sparkline }: Known): string | null {
  if (views.includes("spot")) return "spot";
  if (views.includes("chart") && status !== "running") return "chart";
  // A run whose exploitability was not measured has other curves, but no sparkline.
  const isCurve = sparkline.length > 1 || (last !== null && (status === "running" || last.exploitability === null));
  if (views.includes("convergence") && isCurve) return "convergence";
  const others = views.filter((name) => name !== "convergence");
  // Facts alone say nothing about a run that has only just begun.
  if (status === "running" && others.every((name) => name === "facts")) return null;
  return others[0] ?? views[0] ?? null;
}

// The view that a run opens with, if the address names none.

import type { RunSummary } from "../model";

type Known = Pick<RunSummary, "views" | "status">;

/** Its convergence if there is a curve to see, else the first other view; null if nothing is there yet. */
export function automaticView({ views, status }: Known, numRows: number): string | null {
  const isCurve = numRows > 1 || (numRows === 1 && status === "running");
  if (views.includes("convergence") && isCurve) return "convergence";
  const others = views.filter((name) => name !== "convergence");
  // Facts alone say nothing about a run that has only begun.
  if (status === "running" && others.every((name) => name === "facts")) return null;
  return others[0] ?? views[0] ?? null;
}

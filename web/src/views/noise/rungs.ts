// The solutions of one spot by their noise: the runs that differ in nothing else, the noisiest first, Nash last.

import { percent } from "../../format";
import type { RunSummary } from "../../model";

/** The name of the view; a run offers it once it is solved. */
const VIEW = "noise";

export interface Rung {
  run: string;
  /** By seat, as shares of the pot; null for Nash. */
  noise: readonly [number, number] | null;
}

/** The rungs among which the current run is; none if it is the only one. */
export function rungsOf(current: RunSummary, runs: readonly RunSummary[]): Rung[] {
  const own = current.spot;
  if (!own) return [];
  const others = runs.filter(({ spot, views }) => spot?.fingerprint === own.fingerprint && views.includes(VIEW));
  const ratio = ratioOf(own.noise) ?? branchAtNash(others);
  const chosen = new Map<string, RunSummary>([[nameOf(own.noise), current]]);
  // Runs are sorted newest first.
  for (const run of others) {
    const name = nameOf(run.spot?.noise ?? null);
    const its = ratioOf(run.spot?.noise ?? null);
    if (!chosen.has(name) && (its === null || its === ratio)) chosen.set(name, run);
  }
  const found = [...chosen.values()].map(({ id, spot }): Rung => ({ run: id, noise: spot?.noise ?? null }));
  return found.length < 2 ? [] : found.sort((one, other) => levelOf(other) - levelOf(one));
}

/** Which branch solutions belong to: how many times as noisy one player is as the other; null for Nash. */
function ratioOf(noise: readonly [number, number] | null): number | null {
  return noise === null ? null : Number((noise[1] / noise[0]).toPrecision(6));
}

/** All branches end at Nash: that of equal noises is shown there, or else the newest. */
function branchAtNash(runs: readonly RunSummary[]): number | null {
  const ratios = runs.flatMap(({ spot }) => ratioOf(spot?.noise ?? null) ?? []);
  return ratios.includes(1) ? 1 : (ratios[0] ?? null);
}

/** Where a rung is on the axis: the geometric mean of both noises; 0 for Nash. */
export function levelOf({ noise }: Rung): number {
  return noise === null ? 0 : Math.sqrt(noise[0] * noise[1]);
}

/** "5 %", "1 % v 10 %", "Nash". */
export function nameOf(noise: readonly [number, number] | null): string {
  if (noise === null) return "Nash";
  const [oop, ip] = noise.map(shareOf) as [string, string];
  return oop === ip ? oop : `${oop} v ${ip}`;
}

function shareOf(noise: number): string {
  const digits = Math.max(0, Math.min(6, 1 - Math.floor(Math.log10(100 * noise))));
  return percent(Number((100 * noise).toFixed(digits)) / 100, decimalsOf(noise, digits));
}

/** As few decimals as show the number: 5 %, 2.5 %, 0.25 %. */
function decimalsOf(noise: number, most: number): number {
  const text = (100 * noise).toFixed(most);
  return text.includes(".") ? (text.replace(/0+$/, "").split(".")[1] ?? "").length : 0;
}

// The order in which mistakes are asked: the dearest first, and what was answered wrong again soon.

/** After how many others a wrong answer comes back. */
export const AGAIN_AFTER = 3;

export interface Drill {
  /** Numbers of the decisions that are still to be asked, the current one first. */
  readonly queue: readonly number[];
  readonly asked: number;
  readonly right: number;
  /** What the answers cost together, in big blinds. */
  readonly cost: number;
}

export function startDrill(count: number): Drill {
  return { queue: Array.from({ length: count }, (_, number) => number), asked: 0, right: 0, cost: 0 };
}

/** The drill after an answer to its current decision; `cost` is what the answer is worth less than the best. */
export function answered(drill: Drill, cost: number, slack: number): Drill {
  const [current, ...rest] = drill.queue;
  if (current === undefined) return drill;
  const isRight = cost <= slack;
  const queue = isRight ? rest : [...rest.slice(0, AGAIN_AFTER), current, ...rest.slice(AGAIN_AFTER)];
  return { queue, asked: drill.asked + 1, right: drill.right + (isRight ? 1 : 0), cost: drill.cost + cost };
}

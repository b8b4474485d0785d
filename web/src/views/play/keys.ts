// Keyboard shortcuts at the table. Letters switch views, so actions have numbers.

export type Chosen = { action: string } | { move: 1 | -1 } | "deal" | "drill" | null;

/** The part of a KeyboardEvent that decides. */
export interface Press {
  key: string;
  code?: string;
  shiftKey?: boolean;
}

/** Actions with a key of their own; more are reached with the arrows. */
const MAX_KEYS = 20;

/** Whether digits name actions, and so do not number them. */
export function hasDigits(actions: readonly string[]): boolean {
  return actions.some((action) => /^[0-9]$/.test(action));
}

/** The key of the action at `index` as its button shows it: 1 … 9, 0, then the same with shift. */
export function keyOf(index: number, actions: readonly string[]): string | null {
  if (hasDigits(actions)) return /^[0-9]$/.test(actions[index] ?? "") ? (actions[index] ?? null) : null;
  if (index >= MAX_KEYS) return null;
  return `${index < 10 ? "" : "⇧"}${(index + 1) % 10}`;
}

/** `actions` are the legal actions; `canDeal` says whether the hand is over. */
export function chosenBy(press: Press, actions: readonly string[], canDeal: boolean): Chosen {
  const { key } = press;
  if (key === "d") return "drill";
  if (canDeal) return key === "n" || key === "Enter" || key === " " ? "deal" : null;
  if (key === "ArrowRight" || key === "ArrowDown") return { move: 1 };
  if (key === "ArrowLeft" || key === "ArrowUp") return { move: -1 };
  // A digit that names an action, such as a bid, selects that action, as in the terminal.
  if (/^[0-9]$/.test(key) && actions.includes(key)) return { action: key };
  const index = numberOf(press);
  if (index === null || hasDigits(actions)) return null;
  const action = actions[index];
  return action === undefined ? null : { action };
}

/** The position of the action that a key numbers. */
function numberOf({ key, code, shiftKey }: Press): number | null {
  // On some keyboards digits need shift, so a digit is one with and without it.
  if (/^[0-9]$/.test(key)) return (Number(key) + 9) % 10;
  const digit = shiftKey === true ? /^Digit([0-9])$/.exec(code ?? "") : null;
  return digit === null ? null : 10 + ((Number(digit[1]) + 9) % 10);
}

// Which key does what at the table.

export type Chosen = { action: string } | "deal" | null;

/** Whether digits are names of actions, and so no numbers of them. */
export function hasDigits(actions: readonly string[]): boolean {
  return actions.some((action) => /^[0-9]$/.test(action));
}

/** `actions` are those that can be taken now; `canDeal` says whether the hand is over. */
export function chosenBy(key: string, actions: readonly string[], canDeal: boolean): Chosen {
  if (canDeal) return key === "n" || key === "Enter" || key === " " ? "deal" : null;
  // An action that is called by a digit, such as a bid, is meant by it, as in the terminal.
  if (actions.includes(key)) return { action: key };
  if (/^[1-9]$/.test(key) && !hasDigits(actions)) {
    const action = actions[Number(key) - 1];
    return action === undefined ? null : { action };
  }
  if (!/^\p{L}$/u.test(key)) return null;
  // A letter that begins two actions chooses neither.
  const [action, ...others] = actions.filter((one) => one.toLowerCase().startsWith(key.toLowerCase()));
  return action === undefined || others.length > 0 ? null : { action };
}

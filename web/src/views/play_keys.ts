// Keyboard shortcuts at the table.

export type Chosen = { action: string } | "deal" | null;

/** Whether digits name actions, and so do not number them. */
export function hasDigits(actions: readonly string[]): boolean {
  return actions.some((action) => /^[0-9]$/.test(action));
}

/** `actions` are the legal actions; `canDeal` says whether the hand is over. */
export function chosenBy(key: string, actions: readonly string[], canDeal: boolean): Chosen {
  if (canDeal) return key === "n" || key === "Enter" || key === " " ? "deal" : null;
  // A digit that names an action, such as a bid, selects that action, as in the terminal.
  if (actions.includes(key)) return { action: key };
  if (/^[1-9]$/.test(key) && !hasDigits(actions)) {
    const action = actions[Number(key) - 1];
    return action === undefined ? null : { action };
  }
  if (!/^\p{L}$/u.test(key)) return null;
  // A letter that starts two actions selects neither.
  const [action, ...others] = actions.filter((one) => one.toLowerCase().startsWith(key.toLowerCase()));
  return action === undefined || others.length > 0 ? null : { action };
}

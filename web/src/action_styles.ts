// Actions look the same everywhere: their style depends on their position at the infoset.

/** Number of colours, patterns and dashes in the style sheets; with more actions they repeat. */
const STYLES = 6;

/** The CSS class that styles an action. */
export function actionClass(index: number): string {
  return `action-${index % STYLES}`;
}

/** The colour of an action as a CSS value. */
export function actionColour(index: number): string {
  return `var(--action-${index % STYLES})`;
}

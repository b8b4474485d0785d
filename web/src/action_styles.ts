// Actions look the same everywhere: by their place among those of an infoset.

/** Colours, patterns and dashes that the style sheets have; with more actions they start again. */
const STYLES = 6;

/** The class that gives an action its looks. */
export function actionClass(index: number): string {
  return `action-${index % STYLES}`;
}

/** The colour of an action as a value for styles. */
export function actionColour(index: number): string {
  return `var(--action-${index % STYLES})`;
}

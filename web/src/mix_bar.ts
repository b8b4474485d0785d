// A mix of actions as a bar, each with its share of the width.

import { h } from "./dom";

export function mixBar(shares: readonly (number | null)[], styles: readonly (string | undefined)[]): HTMLElement {
  return h("span", { class: "bar", "aria-hidden": "true" }, ...shares.map((share, index) => {
    const part = h("span", { class: `segment ${styles[index]}` });
    part.style.width = `${100 * (share ?? 0)}%`;
    return part;
  }));
}

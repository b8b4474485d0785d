// A menu below a button. The browser closes it on Escape and on a click elsewhere.

import { fill, h } from "./dom";

export interface Choice {
  text: string;
  /** Smaller, below the text. */
  note: string;
  /** The classes of an action, which colour its mark. */
  style?: string | undefined;
  isChosen: boolean;
  choose(): void;
}

const MARGIN = 8;

export class Menu {
  private readonly element = h("div", { class: "menu-list", popover: "auto", role: "menu" });
  private owner: HTMLElement | null = null;

  constructor() {
    this.element.addEventListener("keydown", (event) => this.move(event));
    this.element.addEventListener("toggle", (event) => {
      if ((event as ToggleEvent).newState === "open") return;
      if (this.element.contains(document.activeElement) || document.activeElement === document.body) this.owner?.focus();
      this.element.remove();
    });
  }

  open(owner: HTMLElement, choices: readonly Choice[]): void {
    this.owner = owner;
    const items = choices.map(({ text, note, style, isChosen, choose }) => h("button", {
      role: "menuitemradio", "aria-checked": String(isChosen), tabindex: -1,
      onclick: () => {
        this.element.hidePopover();
        choose();
      },
    },
    h("span", { class: "text" }, style !== undefined && h("span", { class: `swatch action ${style}`, "aria-hidden": "true" }), text),
    note !== "" && h("span", { class: "note" }, note)));
    fill(this.element, ...items);
    // Next to its button, so that the tab key continues from there.
    owner.after(this.element);
    this.element.showPopover();
    this.place(owner);
    (items.find((item) => item.getAttribute("aria-checked") === "true") ?? items[0])?.focus();
  }

  /** Below its button, within the window. */
  private place(owner: HTMLElement): void {
    const [own, at] = [this.element.getBoundingClientRect(), owner.getBoundingClientRect()];
    const left = Math.max(MARGIN, Math.min(at.left, innerWidth - own.width - MARGIN));
    const [above, below] = [at.top - MARGIN, innerHeight - at.bottom - MARGIN];
    const isBelow = below >= Math.min(own.height, above);
    this.element.style.left = `${left}px`;
    this.element.style.maxHeight = `${isBelow ? below : above}px`;
    this.element.style.top = isBelow ? `${at.bottom + 2}px` : `${Math.max(MARGIN, at.top - Math.min(own.height, above) - 2)}px`;
  }

  private move(event: KeyboardEvent): void {
    const items = [...this.element.querySelectorAll("button")];
    const at = items.findIndex((item) => item === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    items[(to + items.length) % items.length]?.focus();
  }
}

// A group in the list of runs: a click opens or closes it.

import { h, setAttribute, setText } from "../../dom";
import { count } from "../../format";
import type { Entry } from "./groups";

export class GroupItem {
  readonly element: HTMLLIElement;
  private readonly button: HTMLButtonElement;
  private readonly mark = h("span", { class: "fold", "aria-hidden": "true" });
  private readonly title = h("span", { class: "title" });
  private readonly what = h("span", { class: "what" });

  constructor(id: string, toggle: () => void) {
    this.button = h("button", { class: "run group-of-runs", type: "button", onclick: toggle },
      h("span", { class: "first" }, this.mark, this.title), this.what);
    this.element = h("li", { class: "run-item", "data-item": id }, this.button);
  }

  focus(): void {
    this.button.focus({ preventScroll: true });
  }

  update({ name, runs, isOpen }: Extract<Entry, { kind: "group" }>, isReachable: boolean): void {
    this.button.tabIndex = isReachable ? 0 : -1;
    setAttribute(this.button, "aria-expanded", String(isOpen));
    setText(this.mark, isOpen ? "▾" : "▸");
    setText(this.title, name);
    const running = runs.filter(({ status }) => status === "running").length;
    const games = new Set(runs.map(({ title, game }) => title || game));
    const of = games.size === 1 ? [...games][0] : `${games.size} games`;
    setText(this.what, [`${count(runs.length)} runs`, of, running > 0 ? `${count(running)} running` : ""].filter(Boolean).join(" · "));
    setAttribute(this.button, "title", `${isOpen ? "close" : "open"} the folder ${name}`);
  }

  /** Move the item to its place in the list. */
  place(top: number, index: number, of: number): void {
    this.element.style.transform = `translateY(${top}px)`;
    this.element.setAttribute("aria-posinset", String(index + 1));
    this.element.setAttribute("aria-setsize", String(of));
  }
}

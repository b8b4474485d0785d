// Fixing what hands do at a node: a part of a player's strategy, around which the spot is solved again.

import { actionClasses } from "../../action_styles";
import { HANDS } from "../../charts/hands";
import { fill, h } from "../../dom";
import type { NodePage, NodeSide } from "../../model";
import { handsByClass, meanOf } from "./cells";
import { lockTexts, linesOf } from "../new_spot/document";

export class LockPanel {
  readonly element: HTMLDetailsElement;
  private readonly hands = h("input", {
    type: "text", name: "lock-hands", "aria-label": "hands to lock", spellcheck: "false", autocomplete: "off",
    placeholder: "QQ+, AKs; or all", oninput: () => this.typed(),
  });
  private readonly shares = h("div", { class: "lock-shares" });
  private readonly here = h("input", { type: "checkbox", name: "lock-here" });
  private readonly hereLabel = h("label", {}, this.here, h("span", {}));
  private readonly problem = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly list = h("ul", { class: "locks" });
  private readonly solveButton = h("button", { class: "button primary", type: "button", onclick: () => this.solve() });
  private inputs: HTMLInputElement[] = [];
  private locks: string[] = [];
  private run = "";
  private node: NodePage | null = null;
  private side: NodeSide | null = null;
  private hand = 0;
  private isTyped = false;
  private drawn = "";

  /** `changed` is called when a lock is added or removed. */
  constructor(
    private readonly go: (node: NodePage, locks: string[]) => void,
    private readonly changed: () => void,
  ) {
    this.element = h("details", { class: "spot-lock panel", ontoggle: () => this.show() },
      // Filled in by the click, before it opens: `toggle` comes later, and would write into what is being typed.
      h("summary", { onclick: () => this.show(true) }, "Lock hands"),
      h("div", { class: "panel-body" },
        h("p", { class: "soft" }, "Fix what hands do here, then solve the spot around it."),
        h("label", {}, h("span", { class: "soft" }, "hands"), this.hands), this.shares, this.hereLabel, this.problem,
        h("div", {}, h("button", { class: "button", type: "button", onclick: () => this.add() }, "Add this lock")),
        this.list, h("div", {}, this.solveButton)));
  }

  /** The locks that were added, beside those of the solution. */
  get chosen(): readonly string[] {
    return this.locks;
  }

  /** `side` is the range of the player to act at `node`; null if not shown, or if nobody acts. */
  draw(run: string, node: NodePage, side: NodeSide | null, hand: number): void {
    if (run !== this.run) this.locks = [];
    if (node !== this.node || hand !== this.hand) this.isTyped = false;
    [this.run, this.node, this.side, this.hand] = [run, node, side, hand];
    this.element.hidden = side === null;
    this.show();
  }

  /** Fill in the panel, if it is open: most nodes are viewed without locking anything. */
  private show(isOpening = false): void {
    const { node, side } = this;
    if (!(this.element.open || isOpening) || node === null || side === null) return;
    const key = JSON.stringify([this.run, node.line, node.board, this.hand]);
    if (key === this.drawn) return;
    this.drawn = key;
    if (!this.isTyped) this.hands.value = HANDS[this.hand]?.name ?? "";
    const hands = handsByClass(side, node.board ?? "")[this.hand] ?? [];
    const mix = wholeShares(side.mix.map((row) => meanOf(side, hands, row) ?? 1 / side.mix.length));
    const styles = actionClasses(node.actions);
    this.inputs = node.actions.map(({ name }, action) => h("input", {
      type: "number", min: 0, max: 100, step: "any", value: mix[action] ?? 0, "aria-label": `${name}, percent`, "data-action": name,
    }));
    fill(this.shares, ...node.actions.map(({ name }, action) => h("label", {},
      h("span", { class: `swatch action ${styles[action]}`, "aria-hidden": "true" }), h("span", {}, name), this.inputs[action], " %")));
    const dealt = dealtOf(node);
    this.hereLabel.hidden = dealt === "";
    fill(this.hereLabel.lastElementChild as HTMLElement, ` only on ${dealt}, not on every board`);
    this.say(null);
    this.showList();
  }

  private typed(): void {
    this.isTyped = true;
  }

  private add(): void {
    const { node } = this;
    if (node === null) return;
    const shares = this.inputs.map((input) => Number(input.value));
    const text = lockText(node, this.hands.value, shares, this.here.checked);
    if (text === null) {
      const total = shares.reduce((sum, one) => sum + one, 0);
      this.say(this.hands.value.trim() === "" ? "Write which hands: QQ+, AKs, or all." : `The shares sum to ${total} %, not to 100 %.`);
      return;
    }
    this.say(null);
    this.locks = [...this.locks.filter((one) => one !== text), text];
    this.showList();
    this.changed();
  }

  private showList(): void {
    fill(this.list, ...this.locks.map((text) => h("li", {}, h("code", {}, text), " ", h("button", {
      class: "button small", type: "button", "aria-label": `remove the lock ${text}`, onclick: () => this.remove(text),
    }, "remove"))));
    this.solveButton.hidden = this.locks.length === 0;
    this.solveButton.textContent = this.locks.length === 1 ? "Solve with this lock" : `Solve with these ${this.locks.length} locks`;
  }

  private remove(text: string): void {
    this.locks = this.locks.filter((one) => one !== text);
    this.showList();
    this.changed();
  }

  private solve(): void {
    const spot = this.node?.panels.spot?.spot;
    if (this.node !== null && spot !== undefined) this.go(this.node, [...linesOf(lockTexts(spot)), ...this.locks]);
  }

  private say(message: string | null): void {
    this.problem.hidden = message === null;
    this.problem.textContent = message;
  }
}

/** A lock as text, `check: AA bet 120 60% check 40%`; null if it names no hands, or its shares do not sum to 100 %. */
export function lockText(node: Pick<NodePage, "words" | "board" | "panels" | "actions">, hands: string, shares: readonly number[], isHere: boolean): string | null {
  const isFair = shares.every((share) => share >= 0) && Math.abs(shares.reduce((sum, one) => sum + one, 0) - 100) < 0.005;
  if (hands.trim() === "" || !isFair) return null;
  const taken = node.actions.flatMap(({ name }, action) => ((shares[action] ?? 0) > 0 ? [`${name} ${shares[action]}%`] : []));
  const dealt = dealtOf(node);
  return `${node.words.trim()}${isHere && dealt !== "" ? ` @ ${dealt}` : ""}: ${hands.trim()} ${taken.join(" ")}`;
}

/** Shares in percent with one decimal that sum to 100; the largest takes what rounding leaves. */
export function wholeShares(mix: readonly number[]): number[] {
  const tenths = mix.map((share) => Math.round(1000 * share));
  const largest = tenths.indexOf(Math.max(...tenths));
  tenths[largest] = (tenths[largest] ?? 0) + 1000 - tenths.reduce((sum, one) => sum + one, 0);
  return tenths.map((one) => one / 10);
}

/** The cards that were dealt after those of the spot. */
function dealtOf({ board, panels }: Pick<NodePage, "board" | "panels">): string {
  return (board ?? "").slice(panels.spot?.board.length ?? 0);
}

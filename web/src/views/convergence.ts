import type { Change, RunData } from "../data";
import { h } from "../dom";
import type { AppState } from "../state";
import type { Context, View } from "../view";

export class ConvergenceView implements View {
  readonly element = h("section", { class: "convergence" });

  constructor(private readonly context: Context) {}

  update(run: RunData, _state: AppState, _change: Change | null): void {
    this.element.textContent = run.detail.title + this.context.data.connection;
  }
}

// Charts as they are asked for while something is dragged: what was answered is kept, and when
// nothing is wanted, neighbours are fetched ahead.

import { Kept } from "../kept";
import { Newest } from "../newest";

export interface Question<T> {
  /** Questions of the same key have the same answer. */
  key: string;
  load(): Promise<T>;
}

const KEPT = 400;

export class Charts<T> {
  private readonly kept = new Kept<T>(KEPT);
  private readonly newest = new Newest<T>();
  /** Number of the question that was asked last. */
  private asked = 0;

  constructor(
    private readonly show: (chart: T) => void,
    private readonly refuse: (error: unknown) => void,
  ) {}

  /**
   * Ask; the answer is shown at once if it is known. Late answers of the same group are shown until a
   * newer one comes, those of another group never.
   */
  ask(group: string, question: Question<T>, ahead: readonly Question<T>[] = []): void {
    this.asked += 1;
    const number = this.asked;
    const answer = (chart: T): void => {
      this.show(chart);
      if (number === this.asked) void this.fetchAhead(ahead, number);
    };
    const known = this.kept.get(question.key);
    if (known === undefined) this.newest.ask(group, () => this.fetch(question), answer, this.refuse);
    else {
      // Nor may an older answer that is still under way replace it.
      this.newest.forget();
      answer(known);
    }
  }

  /** Nothing that is under way is wanted any more. */
  forget(): void {
    this.asked += 1;
    this.newest.forget();
  }

  private async fetch(question: Question<T>): Promise<T> {
    const chart = await question.load();
    this.kept.set(question.key, chart);
    return chart;
  }

  /** One after another, until something is asked. */
  private async fetchAhead(ahead: readonly Question<T>[], number: number): Promise<void> {
    for (const question of ahead) {
      if (number !== this.asked) return;
      if (this.kept.has(question.key)) continue;
      // Where one neighbour fails the others will too; the error is shown when one is wanted.
      if (!await this.fetch(question).then(() => true, () => false)) return;
    }
  }
}

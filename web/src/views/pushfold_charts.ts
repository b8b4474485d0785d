// Charts requested while a slider is dragged: responses are cached, and when nothing is pending,
// neighbours are prefetched.

import { LruCache } from "../lru_cache";
import { Newest } from "../newest";

export interface Question<T> {
  /** Questions with the same key have the same answer. */
  key: string;
  load(): Promise<T>;
}

const KEPT = 400;

export class Charts<T> {
  private readonly kept = new LruCache<T>(KEPT);
  private readonly newest = new Newest<T>();
  /** Number of the latest question. */
  private asked = 0;

  constructor(
    private readonly show: (chart: T) => void,
    private readonly refuse: (error: unknown) => void,
  ) {}

  /**
   * Ask for a chart; a known answer is shown at once. Late answers of the same group are shown until a
   * newer one arrives, those of another group never.
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
      // An older answer that is still pending must not replace it.
      this.newest.forget();
      answer(known);
    }
  }

  /** Drop all pending answers. */
  forget(): void {
    this.asked += 1;
    this.newest.forget();
  }

  private async fetch(question: Question<T>): Promise<T> {
    const chart = await question.load();
    this.kept.set(question.key, chart);
    return chart;
  }

  /** Fetch one after another, until a question is asked. */
  private async fetchAhead(ahead: readonly Question<T>[], number: number): Promise<void> {
    for (const question of ahead) {
      if (number !== this.asked) return;
      if (this.kept.has(question.key)) continue;
      // If one neighbour fails, the others will too; the error is shown when one is requested.
      if (!await this.fetch(question).then(() => true, () => false)) return;
    }
  }
}

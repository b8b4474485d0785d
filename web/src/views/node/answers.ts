// Nodes requested while somebody clicks through a tree or drags a slider: answers are cached, and when nothing is
// pending, neighbours are prefetched.

import { LruCache } from "../../lru_cache";
import { Newest } from "../../newest";

export interface Question<T> {
  /** Questions with the same key have the same answer. */
  key: string;
  load(): Promise<T>;
}

export interface AnswerOptions {
  /** How many answers are cached. */
  kept: number;
  /** How long an answer is on the screen before its neighbours are fetched, in milliseconds. */
  glance: number;
}

export class Answers<T> {
  private readonly kept: LruCache<T>;
  private readonly newest = new Newest<T>();
  /** Number of the latest question. */
  private asked = 0;

  constructor(
    private readonly show: (answer: T) => void,
    private readonly refuse: (error: unknown) => void,
    private readonly options: AnswerOptions = { kept: 400, glance: 0 },
  ) {
    this.kept = new LruCache<T>(options.kept);
  }

  /**
   * Ask; a known answer is shown at once. Late answers of the same group are shown until a newer one arrives, those
   * of another group never. `ahead` are the neighbours of an answer.
   */
  ask(group: string, question: Question<T>, ahead: (answer: T) => readonly Question<T>[] = () => []): void {
    this.asked += 1;
    const number = this.asked;
    const answer = (found: T): void => {
      this.show(found);
      const { glance } = this.options;
      if (number !== this.asked) return;
      if (glance === 0) void this.fetchAhead(ahead(found), number);
      else window.setTimeout(() => void this.fetchAhead(ahead(found), number), glance);
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
    const answer = await question.load();
    this.kept.set(question.key, answer);
    return answer;
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

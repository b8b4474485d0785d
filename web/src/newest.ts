// Asking for what is wanted now when wishes change faster than answers come.
//
// One request is under way at a time, and of those that wait only the newest is kept. What arrives
// in between is still shown as long as it belongs to the same group (the same list at an earlier
// frame): under load one sees every third frame of a replay rather than none. What belongs to
// another group (other filters, another run) is dropped, and need not be waited for.

interface Wish<T> {
  group: string;
  load: () => Promise<T>;
  show: (value: T) => void;
  fail: (error: unknown) => void;
}

export class Newest<T> {
  private group: string | null = null;
  private running: Wish<T> | null = null;
  private waiting: Wish<T> | null = null;

  ask(
    group: string,
    load: () => Promise<T>,
    show: (value: T) => void,
    fail: (error: unknown) => void,
  ): void {
    const wish = { group, load, show, fail };
    const isSameGroup = group === this.group;
    this.group = group;
    if (this.running !== null && isSameGroup) this.waiting = wish;
    else this.start(wish);
  }

  /** Nothing that is under way is wanted any more. */
  forget(): void {
    this.group = null;
    this.running = null;
    this.waiting = null;
  }

  private start(wish: Wish<T>): void {
    this.running = wish;
    this.waiting = null;
    // The next one starts before this one is shown: showing may ask again.
    wish.load().then(
      (value) => this.end(wish, () => wish.show(value)),
      (error: unknown) => this.end(wish, () => wish.fail(error)),
    );
  }

  private end(wish: Wish<T>, tell: () => void): void {
    if (wish !== this.running) return;
    const next = this.waiting;
    if (next === null) this.running = null;
    else this.start(next);
    tell();
  }
}

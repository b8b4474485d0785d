// Requests for data that change faster than the server responds.
//
// One request runs at a time, and of those waiting only the newest is kept. A response that arrives in
// between is still shown if it belongs to the same group (the same list at an earlier frame): under
// load the user sees every third frame of a replay rather than none. A response of another group
// (other filters, another run) is dropped, and the next request does not wait for it.

interface Pending<T> {
  group: string;
  load: () => Promise<T>;
  show: (value: T) => void;
  fail: (error: unknown) => void;
}

export class Newest<T> {
  private group: string | null = null;
  private running: Pending<T> | null = null;
  private waiting: Pending<T> | null = null;

  ask(
    group: string,
    load: () => Promise<T>,
    show: (value: T) => void,
    fail: (error: unknown) => void,
  ): void {
    const request = { group, load, show, fail };
    const isSameGroup = group === this.group;
    this.group = group;
    if (this.running !== null && isSameGroup) this.waiting = request;
    else this.start(request);
  }

  /** Drop all running and waiting requests. */
  forget(): void {
    this.group = null;
    this.running = null;
    this.waiting = null;
  }

  private start(request: Pending<T>): void {
    this.running = request;
    this.waiting = null;
    // The next request starts before this one is shown: showing may ask again.
    request.load().then(
      (value) => this.end(request, () => request.show(value)),
      (error: unknown) => this.end(request, () => request.fail(error)),
    );
  }

  private end(request: Pending<T>, finish: () => void): void {
    if (request !== this.running) return;
    const next = this.waiting;
    if (next === null) this.running = null;
    else this.start(next);
    finish();
  }
}

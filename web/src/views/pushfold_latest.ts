// One question at a time, and always the newest: while something is dragged, questions come faster
// than answers. What was answered is kept; when nothing is wanted, neighbours are fetched ahead.

export interface Question<T> {
  /** Questions of the same key have the same answer. */
  key: string;
  load(): Promise<T>;
}

const KEPT = 400;

export class Latest<T> {
  private readonly answers = new Map<string, T>();
  private wanted: Question<T> | null = null;
  private ahead: readonly Question<T>[] = [];
  private isBusy = false;
  /** Numbers of the newest question asked, and of the newest that was answered. */
  private asked = 0;
  private answered = 0;
  private failed: string | null = null;

  constructor(
    private readonly deliver: (answer: T, key: string) => void,
    private readonly refuse: (error: unknown, key: string) => void,
  ) {}

  /**
   * Ask; the answer is delivered at once if it is known. An answer that comes when something else
   * is wanted already is delivered only if nothing newer was: never does an old one replace a new.
   */
  ask(question: Question<T>, ahead: readonly Question<T>[] = []): void {
    this.asked += 1;
    this.wanted = question;
    this.ahead = ahead;
    this.failed = null;
    const known = this.answers.get(question.key);
    if (known !== undefined) {
      this.answered = this.asked;
      this.deliver(known, question.key);
    }
    this.goOn();
  }

  private goOn(): void {
    if (this.isBusy) return;
    const isOpen = ({ key }: Question<T>): boolean => !this.answers.has(key);
    const isWantedOpen = this.wanted !== null && isOpen(this.wanted) && this.wanted.key !== this.failed;
    const next = isWantedOpen ? this.wanted : this.ahead.find(isOpen);
    if (next) void this.fetch(next, isWantedOpen ? this.asked : 0);
  }

  /** Fetch an answer to question number `number`; 0 is one that nobody has asked yet. */
  private async fetch(question: Question<T>, number: number): Promise<void> {
    this.isBusy = true;
    const isWanted = (): boolean => this.wanted?.key === question.key;
    try {
      const answer = await question.load();
      this.keep(question.key, answer);
      const order = isWanted() ? this.asked : number;
      if (order > this.answered) {
        this.answered = order;
        this.deliver(answer, question.key);
      }
    } catch (error) {
      // Where one neighbour fails the others will too: wait until somebody asks.
      this.ahead = [];
      if (isWanted()) {
        this.failed = question.key;
        this.refuse(error, question.key);
      }
    } finally {
      this.isBusy = false;
    }
    this.goOn();
  }

  private keep(key: string, answer: T): void {
    this.answers.set(key, answer);
    if (this.answers.size <= KEPT) return;
    const oldest = this.answers.keys().next();
    if (!oldest.done) this.answers.delete(oldest.value);
  }
}

// Answers that were given, as many as there is room for: what was not used for longest goes first.

export class Kept<T> {
  private readonly values = new Map<string, T>();

  constructor(private readonly most: number) {}

  has(key: string): boolean {
    return this.values.has(key);
  }

  get(key: string): T | undefined {
    const value = this.values.get(key);
    // Put last, as the one that was just used.
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: string, value: T): void {
    this.values.delete(key);
    this.values.set(key, value);
    const [oldest] = this.values.keys();
    if (this.values.size > this.most && oldest !== undefined) this.values.delete(oldest);
  }
}

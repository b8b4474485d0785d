// A cache of responses with a maximum size; the least recently used is dropped first.

export class LruCache<T> {
  private readonly values = new Map<string, T>();

  constructor(private readonly most: number) {}

  has(key: string): boolean {
    return this.values.has(key);
  }

  get(key: string): T | undefined {
    const value = this.values.get(key);
    // Moved to the end, as the most recently used.
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

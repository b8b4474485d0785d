import assert from "node:assert/strict";
import { test } from "node:test";

import { LruCache } from "../src/lru_cache";

test("what was not used for longest goes first", () => {
  const kept = new LruCache<number>(2);
  kept.set("a", 1);
  kept.set("b", 2);
  assert.equal(kept.get("a"), 1);
  kept.set("c", 3);
  assert.equal(kept.has("b"), false);
  assert.equal(kept.get("a"), 1);
  assert.equal(kept.get("c"), 3);
});

test("setting a value again takes no more room", () => {
  const kept = new LruCache<number>(2);
  kept.set("a", 1);
  kept.set("b", 2);
  kept.set("b", 3);
  assert.equal(kept.get("a"), 1);
  assert.equal(kept.get("b"), 3);
});

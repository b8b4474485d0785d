import assert from "node:assert/strict";
import { test } from "node:test";

import { TAKEN_KEYS } from "../src/keys";
import { parseAddress } from "../src/state";
import { VIEWS } from "../src/views/all";

function isDistinct(texts: string[]): boolean {
  return new Set(texts).size === texts.length;
}

test("no two views share a name, a key or an option", () => {
  assert.ok(isDistinct(VIEWS.map((view) => view.name)));
  assert.ok(isDistinct(VIEWS.map((view) => view.key)));
  // Spots and blueprints are shown by one view, whose options mean the same for both.
  assert.ok(isDistinct(VIEWS.filter(({ name }) => name !== "chart").flatMap((view) => view.options)));
});

test("keys of views are letters that mean nothing else, so that digits are free for actions", () => {
  for (const { key } of VIEWS) {
    assert.match(key, /^[a-z]$/);
    assert.ok(!TAKEN_KEYS.includes(key), key);
  }
});

test("options have names that the page does not use itself", () => {
  for (const name of VIEWS.flatMap((view) => view.options)) {
    assert.ok(!["at", "infoset", "with", "line", "board", "seat", "hand"].includes(name), name);
  }
});

test("an address shows every view, with its options and without those of none", () => {
  for (const { name, options } of VIEWS) {
    const query = options.map((option) => `${option}=1`).join("&");
    const parsed = parseAddress(`#/a/${name}?${query}&nobodys=1`);
    assert.equal(parsed.view, name);
    assert.deepEqual(Object.keys(parsed.options), options);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";

import type { RunSummary } from "../src/model";
import { entriesOf, folderOf } from "../src/views/runs/groups";

const run = (name: string): RunSummary => ({ id: name.replaceAll("/", "~"), name }) as RunSummary;
const RUNS = ["new", "grid/3", "other/1", "grid/2", "other/2", "grid/1"].map(run);
const ids = (isOpen: boolean): string[] => entriesOf(RUNS, () => isOpen).map(({ id }) => id);

test("runs of one folder are one entry, at the place of the first", () => {
  assert.deepEqual(ids(false), ["new", "folder grid", "other~1", "other~2"]);
  assert.deepEqual(ids(true), ["new", "folder grid", "grid~3", "grid~2", "grid~1", "other~1", "other~2"]);
  assert.equal(folderOf(run("a/b/c")), "a/b");
});

test("runs directly in the served folder are no group", () => {
  assert.deepEqual(entriesOf(["a", "b", "c"].map(run), () => false).map(({ kind }) => kind), ["run", "run", "run"]);
});

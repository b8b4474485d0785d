import assert from "node:assert/strict";
import { test } from "node:test";

import { type Point, smoothPath } from "../src/charts/smooth";

/** Points along the path, many on each cubic. */
function along(path: string): Point[][] {
  return path.split("M").slice(1).map((piece) => {
    const [start = "", ...cubics] = piece.split("C");
    let here = start.split(",").map(Number);
    return cubics.flatMap((cubic) => {
      const [a = [], b = [], end = []] = cubic.trim().split(" ").map((pair) => pair.split(",").map(Number));
      const from = here;
      here = end;
      return Array.from({ length: 21 }, (_, index): Point => {
        const t = index / 20;
        const at = (axis: number): number => (1 - t) ** 3 * (from[axis] ?? 0) + 3 * (1 - t) ** 2 * t * (a[axis] ?? 0)
          + 3 * (1 - t) * t ** 2 * (b[axis] ?? 0) + t ** 3 * (end[axis] ?? 0);
        return [at(0), at(1)];
      });
    });
  });
}

test("a smooth line goes through every point, and between two it stays between them", () => {
  // It turns back in x, as a branch does at a fold, and in y.
  const points: Point[] = [[0, 100], [40, 98], [90, 60], [110, 20], [104, 5], [80, 3], [120, 0]];
  const [drawn = []] = along(smoothPath(points));
  points.slice(1).forEach(([x1, y1], index) => {
    const [x0, y0] = points[index] ?? [0, 0];
    const piece = drawn.slice(21 * index, 21 * index + 21);
    assert.deepEqual(piece[0]?.map(Math.round), [x0, y0]);
    assert.deepEqual(piece[20]?.map(Math.round), [x1, y1]);
    for (const [x, y] of piece) {
      assert.ok(x >= Math.min(x0, x1) - 0.1 && x <= Math.max(x0, x1) + 0.1, `${x} between ${x0} and ${x1}`);
      assert.ok(y >= Math.min(y0, y1) - 0.1 && y <= Math.max(y0, y1) + 0.1, `${y} between ${y0} and ${y1}`);
    }
  });
});

test("it is nearer to the curve that the points are on than straight lines are", () => {
  const curve = (x: number): number => 100 / (1 + Math.exp((x - 100) / 15));
  const xs = [0, 40, 70, 90, 110, 130, 160, 200];
  const [drawn = []] = along(smoothPath(xs.map((x): Point => [x, curve(x)])));
  const off = Math.max(...drawn.map(([x, y]) => Math.abs(y - curve(x))));
  const straight = Math.max(...drawn.map(([x]) => {
    const next = xs.findIndex((one) => one >= x) || 1;
    const [a = 0, b = 0] = [xs[next - 1], xs[next]];
    return Math.abs(curve(a) + ((x - a) / (b - a)) * (curve(b) - curve(a)) - curve(x));
  }));
  assert.ok(off < straight / 2, `${off} against ${straight}`);
});

test("gaps stay gaps, and repeated points do no harm", () => {
  assert.equal(along(smoothPath([[0, 0], [1, 1], null, [2, 2], [3, 3]])).length, 2);
  assert.ok(!smoothPath([[0, 0], [0, 0], [5, 5], [5, 5]]).includes("NaN"));
  assert.equal(smoothPath([]), "");
  assert.equal(smoothPath([[1, 2]]), "M1,2");
});

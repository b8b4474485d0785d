// A smooth line through computed points. Between two neighbours it stays between them in both directions,
// so it shows no bump that was not computed, and it may turn back, as a branch does at a fold.

export type Point = readonly [number, number];

/** The SVG path through the points; null is a gap. */
export function smoothPath(points: readonly (Point | null)[]): string {
  const pieces: Point[][] = [[]];
  for (const point of points) {
    if (point === null) pieces.push([]);
    else pieces[pieces.length - 1]?.push(point);
  }
  return pieces.map((piece) => pathOfPiece(withoutRepeats(piece))).join("");
}

function pathOfPiece(points: readonly Point[]): string {
  const [first] = points;
  if (first === undefined) return "";
  // Both coordinates are functions of the length of the way along the points.
  const steps = points.slice(1).map(([x, y], index) => {
    const [fromX, fromY] = points[index] ?? [x, y];
    return Math.hypot(x - fromX, y - fromY);
  });
  const [dx, dy] = [0, 1].map((axis) => tangents(points.map((point) => point[axis] ?? 0), steps));
  let path = `M${at(first[0], first[1])}`;
  steps.forEach((step, index) => {
    const [[x0, y0], [x1, y1]] = [points[index] ?? first, points[index + 1] ?? first];
    const reach = step / 3;
    path += `C${at(x0 + reach * (dx?.[index] ?? 0), y0 + reach * (dy?.[index] ?? 0))}`
      + ` ${at(x1 - reach * (dx?.[index + 1] ?? 0), y1 - reach * (dy?.[index + 1] ?? 0))} ${at(x1, y1)}`;
  });
  return path;
}

/** Derivatives at the points that make the cubic between neighbours monotone (Steffen 1990). */
function tangents(values: readonly number[], steps: readonly number[]): number[] {
  const slopes = steps.map((step, index) => ((values[index + 1] ?? 0) - (values[index] ?? 0)) / step);
  const inner = slopes.slice(1).map((after, index) => {
    const [before, stepBefore, stepAfter] = [slopes[index] ?? 0, steps[index] ?? 1, steps[index + 1] ?? 1];
    const mean = (before * stepAfter + after * stepBefore) / (stepBefore + stepAfter);
    const sign = Math.sign(before) + Math.sign(after);
    return sign * Math.min(Math.abs(before), Math.abs(after), Math.abs(mean) / 2);
  });
  const end = (slope = 0, next = slope): number => {
    const guess = (3 * slope - next) / 2;
    return guess * slope <= 0 ? 0 : Math.sign(slope) * Math.min(Math.abs(guess), 3 * Math.abs(slope));
  };
  return [end(slopes[0], inner[0]), ...inner, end(slopes[slopes.length - 1], inner[inner.length - 1])];
}

function withoutRepeats(points: readonly Point[]): Point[] {
  return points.filter(([x, y], index) => {
    const before = points[index - 1];
    return before === undefined || before[0] !== x || before[1] !== y;
  });
}

function at(x: number, y: number): string {
  return `${Math.round(10 * x) / 10},${Math.round(10 * y) / 10}`;
}

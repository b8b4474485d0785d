import assert from "node:assert/strict";
import { test } from "node:test";

import type { HandMove, HandPage } from "../src/model";
import { formatAddress, parseAddress, START } from "../src/state";
import { AGAIN_AFTER, answered, startDrill } from "../src/views/hands/drill";
import { pagesInSight, ROW_HEIGHT } from "../src/views/hands/window";
import { bbText, frameAfter, framesOf, stackText, moveWords } from "../src/views/hands/replay";

function move(player: number, name: HandMove["move"], amount: number, isAllIn = false): HandMove {
  return { player, move: name, amount, is_all_in: isAllIn };
}

/** Three players with antes of 1; the button raises, the big blind calls and folds to a bet. */
const HAND: HandPage = {
  file: 0, row: 0, site: "PokerStars", number: "1", variant: "NT", played: null, table: "", tournament: null,
  currency: "", scale: 1, big_blind: 10, players: ["Sam", "Bea", "Bud"], positions: ["SB", "BB", "BTN"],
  stacks: [500, 400, 300], antes: [1, 1, 1], posts: [5, 10, 0], hero: 1, hands: [null, "AhKh", null], board: "2c3d4h9s",
  streets: [
    [move(2, "raise", 25), move(0, "fold", 5), move(1, "call", 25)],
    [move(1, "check", 0), move(2, "bet", 40), move(1, "call", 40)],
    [move(1, "check", 0), move(2, "bet", 234, true), move(1, "fold", 0)],
  ],
  pot: 138, rake: 0, won: [0, 0, 138], gains: [-6, -66, 72], review: null,
};

test("a hand is a frame per deal and action, and one for the end", () => {
  const frames = framesOf(HAND);
  assert.equal(frames.length, 3 + 9 + 1);
  assert.deepEqual(frames.map(({ board }) => board.length / 2), [0, 0, 0, 0, 3, 3, 3, 3, 4, 4, 4, 4, 4]);
  assert.deepEqual(frames[0]?.bets, [5, 10, 0]);
  assert.deepEqual(frames[0]?.stacks, [494, 389, 299]);
  assert.deepEqual(frames.at(-1)?.stacks, [494, 334, 372]);
  assert.equal(frames.at(-1)?.pot, 138);
});

test("no chip is lost on the way", () => {
  const all = 1200;
  for (const { pot, bets, stacks, isOver } of framesOf(HAND)) {
    const sum = [...bets, ...stacks].reduce<number>((total, chips) => total + (chips ?? Number.NaN), 0);
    assert.equal(isOver ? sum : sum + pot, all);
  }
});

test("a stack that is not known stays unknown, and the bets are drawn", () => {
  const frames = framesOf({ ...HAND, stacks: [null, 400, null] });
  assert.ok(frames.every(({ stacks }) => stacks[0] === null && stacks[2] === null));
  assert.deepEqual(frames.map(({ bets, pot }) => [bets, pot]), framesOf(HAND).map(({ bets, pot }) => [bets, pot]));
  assert.equal(frames.at(-1)?.stacks[1], 334);
  assert.equal(stackText(null, 10), "unknown");
  assert.equal(stackText(334, 10), "33.4 bb");
});

test("who folds stays folded, and a fold keeps what was posted", () => {
  const frames = framesOf(HAND);
  assert.deepEqual(frames[2]?.hasFolded, [true, false, false]);
  assert.deepEqual(frames[2]?.bets, [5, 10, 25]);
  assert.deepEqual(frames.at(-1)?.hasFolded, [true, true, false]);
});

test("a decision is found by its number among those of the player", () => {
  const frames = framesOf(HAND);
  const words = [0, 1, 2, 3, 4].map((nth) => {
    const { move: found = null } = frames[frameAfter(frames, 1, nth)] ?? {};
    return found === null ? "" : moveWords(found, HAND.big_blind);
  });
  assert.deepEqual(words, ["calls", "checks", "calls", "checks", "folds"]);
  assert.equal(frameAfter(frames, 1, 5), -1);
  assert.equal(moveWords(move(2, "bet", 234, true), 10), "bets 23.4 bb, all-in");
  assert.equal(bbText(5, 10), "0.5 bb");
});

test("only pages in sight are fetched", () => {
  assert.deepEqual(pagesInSight(0, 600, 0), []);
  assert.deepEqual(pagesInSight(0, 600, 1_000_000), [0]);
  assert.deepEqual(pagesInSight(99 * ROW_HEIGHT, 600, 1_000_000), [0, 1]);
  assert.deepEqual(pagesInSight(999_990 * ROW_HEIGHT, 600, 1_000_000), [9999]);
});

test("a wrong answer is asked again after some others, a right one is not", () => {
  let drill = startDrill(6);
  drill = answered(drill, 2, 0.02);
  assert.deepEqual(drill.queue, [1, 2, 3, 0, 4, 5]);
  assert.equal(drill.queue.indexOf(0), AGAIN_AFTER);
  drill = answered(drill, 0.01, 0.02);
  assert.deepEqual(drill.queue, [2, 3, 0, 4, 5]);
  assert.deepEqual([drill.asked, drill.right, drill.cost], [2, 1, 2.01]);
  assert.equal(answered(startDrill(0), 1, 0).asked, 0);
});

test("what is chosen among hands is in the address, with and without a run", () => {
  const options = { folder: "a~b", part: "leaks", kind: "line", leak: "bet, raise", played: "0-12", pot: ">20bb" };
  for (const run of [null, "kuhn"]) {
    const state = { ...START, run, view: "hands", options };
    assert.deepEqual(parseAddress(formatAddress(state)), state);
  }
  assert.equal(formatAddress({ ...START, run: "kuhn", view: "strategy", options }), "#/kuhn/strategy");
});

// Which hand lies on the table, and why.

import type { Seat } from "../../model";
import type { HandResult } from "./score";
import { resultOf, type PlaySession } from "./session";

export interface Deal {
  /** The session's current hand, a finished one, or a mistake that is drilled. */
  kind: "session" | "past" | "drill";
  seed: number;
  hand: number;
  seat: Seat;
  /** What the person has done in it so far. */
  actions: string[];
}

/** The hand that the session is playing. */
export function sessionDeal({ seed, hand, seat, actions }: PlaySession): Deal {
  return { kind: "session", seed, hand, seat, actions };
}

/** A finished hand, to look at. */
export function pastDeal(seed: number, { hand, seat, actions }: HandResult): Deal {
  return { kind: "past", seed, hand, seat, actions };
}

/** Hand number `hand` of a session: as it was played if it is an earlier one, else the current one. */
export function dealOf(session: PlaySession, hand: number): Deal {
  const result = hand === session.hand ? null : resultOf(session, hand);
  return result === null ? sessionDeal(session) : pastDeal(session.seed, result);
}

// Words that a student may not know, explained where they are used: a pointer, the focus or a touch shows
// the definition, Escape hides it.

import { freshId, h } from "./dom";
import type { Terms } from "./model";

const DEFINITIONS = {
  exploitability: ({ unit }: Terms) => (
    `What an opponent who knows these strategies and answers them perfectly wins per hand, in ${unit}, averaged `
    + "over both seats. It is 0 at an equilibrium."),
  regret: () => (
    "How much better the best fixed choice would have done so far than what was played. Solvers take more often "
    + "what they regret not having done; when no regret is left, the average strategy is an equilibrium."),
  reach: () => (
    "The probability that the player's own choices lead to this decision. Where it is small, the decision hardly "
    + "matters, and its strategy may not be accurate."),
  infoset: ({ private: held, public: seen }: Terms) => {
    const known = [held && `the same ${held}`, seen && `the same ${seen}`, "the same moves seen"].filter(Boolean);
    return `A decision as the player sees it: all positions with ${known.join(", ")}, which the player cannot tell apart.`;
  },
  equilibrium: () => "Strategies of which neither player can gain by changing only their own.",
  "β": ({ unit }: Terms) => (
    `Rationality, per unit of value (${unit}): at 0 all actions are equally likely; the larger β is, the more often `
    + "the better action is taken."),
  noise: () => (
    "How much players err: an action that loses this share of the pot, compared with the best one, is taken 37 % (1/e) as "
    + "often. At 0 nobody errs, which is Nash."),
} as const;

export type Word = keyof typeof DEFINITIONS;

const LINGER_MS = 150;
const MARGIN = 8;

/** The word as a button with its definition; `text` is how it is written here. */
export function term(word: Word, terms: Terms, text: string = word): HTMLElement {
  const id = freshId("definition");
  const tip = h("span", {
    id, class: "definition", role: "tooltip", popover: "manual",
    onpointerenter: () => window.clearTimeout(timer), onpointerleave: () => hideSoon(),
  }, DEFINITIONS[word](terms));
  const button = h("button", {
    class: "term", type: "button", "aria-describedby": id, "data-term": word,
    onpointerenter: () => show(), onpointerleave: () => hideSoon(), onfocus: () => show(), onblur: () => hide(),
    onclick: () => show(),
    onkeydown: (event: KeyboardEvent) => {
      if (event.key === "Escape" && tip.matches(":popover-open")) {
        hide();
        event.stopPropagation();
      }
    },
  }, text);
  let timer = 0;
  const show = (): void => {
    window.clearTimeout(timer);
    if (!tip.matches(":popover-open")) tip.showPopover();
    const [word, box] = [button.getBoundingClientRect(), tip.getBoundingClientRect()];
    const left = Math.max(MARGIN, Math.min(word.left, innerWidth - box.width - MARGIN));
    const below = word.bottom + 4;
    tip.style.left = `${left}px`;
    tip.style.top = `${below + box.height + MARGIN <= innerHeight ? below : Math.max(MARGIN, word.top - box.height - 4)}px`;
  };
  const hide = (): void => {
    window.clearTimeout(timer);
    if (tip.matches(":popover-open")) tip.hidePopover();
  };
  const hideSoon = (): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => document.activeElement !== button && hide(), LINGER_MS);
  };
  return h("span", { class: "term-box" }, button, tip);
}

/** A sentence in which words between asterisks have their definitions: "the *regret* of a player". */
export function explained(sentence: string, terms: Terms): (string | HTMLElement)[] {
  return sentence.split("*").map((part, index) => {
    if (index % 2 === 0) return part;
    const word = (Object.keys(DEFINITIONS) as Word[]).find((one) => part.startsWith(one));
    return word === undefined ? part : term(word, terms, part);
  });
}

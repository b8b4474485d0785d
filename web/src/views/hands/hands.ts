// Hand histories: the list of a folder, one hand with its review, leaks, what to study, and tilt over time.
// All that is chosen is in the address.

import * as api from "../../api";
import { fill, h, setAttribute } from "../../dom";
import { messageOf } from "../../errors";
import { count } from "../../format";
import type { HandFolder, HandPlaces, HandReviewPlace, Mistake } from "../../model";
import { HANDS } from "../../places";
import type { AppState } from "../../state";
import type { Context } from "../../view";
import { LongHandList } from "./hand_list";
import { LeaksPart, type GroupName } from "./leaks";
import { Replayer } from "./replayer";
import { StudyPart } from "./study";
import { TiltPart } from "./tilt";

const PARTS = ["list", "leaks", "study", "tilt"] as const;
type Part = (typeof PARTS)[number];
const STREETS = ["preflop", "flop", "turn", "river"];
const TYPING_MS = 250;
const WINDOW = 200;

export class Hands {
  readonly element: HTMLElement;
  private readonly folderChoice = h("select", { "aria-label": "folder of hands", onchange: () => this.set({ folder: this.folderChoice.value, review: null, played: null, player: null }) });
  private readonly reviewChoice = h("select", { "aria-label": "review", onchange: () => this.set({ review: this.reviewChoice.value, kind: null, leak: null }) });
  private readonly tabs = new Map<Part, HTMLButtonElement>();
  private readonly nav = h("nav", { class: "group parts", "aria-label": "parts" });
  private readonly filters = h("form", { class: "toolbar filters", onsubmit: (event: Event) => event.preventDefault() });
  private readonly player = h("input", { type: "search", name: "player", list: "hand-players", placeholder: "player or me", "aria-label": "player", oninput: () => this.typed() });
  private readonly players = h("datalist", { id: "hand-players" });
  private readonly pot = h("input", { type: "search", name: "pot", placeholder: "pot, >20bb", "aria-label": "pot in big blinds, such as >20bb or 10-20bb", oninput: () => this.typed() });
  private readonly street = h("select", { name: "street", "aria-label": "street that the hand got to", onchange: () => this.typed() },
    h("option", { value: "" }, "any street"), ...STREETS.map((name) => h("option", { value: name }, name)));
  private readonly moves = h("input", { type: "search", name: "moves", placeholder: "line: check, bet, ?", "aria-label": "actions with which a street begins, ? is any", oninput: () => this.typed() });
  private readonly body = h("div", { class: "hands-body" });
  private readonly problem = h("p", { class: "message", role: "alert", hidden: true });
  private readonly list = new LongHandList((row) => this.set({ played: `${row.file}-${row.row}` }));
  private readonly replayer = new Replayer(() => this.set({ played: null }), (by) => void this.step(by));
  private readonly leaks = new LeaksPart((group) => this.set({ kind: group?.by ?? null, leak: group?.name ?? null }),
    (mistake) => this.openMistake(mistake), () => this.set({ part: "study" }));
  private readonly study = new StudyPart((mistake) => this.openMistake(mistake));
  private readonly tilt = new TiltPart((hands) => this.set({ window: hands }));
  private places: HandPlaces | null = null;
  private named = "";
  private typing: number | undefined;

  constructor(private readonly context: Context) {
    for (const part of PARTS) {
      const button = h("button", { type: "button", class: "button small", "data-part": part, onclick: () => this.set({ part, played: null }) }, part);
      this.tabs.set(part, button);
      this.nav.append(button);
    }
    fill(this.filters, this.player, this.players, this.pot, this.street, this.moves);
    this.element = h("section", { class: "hand-histories", "aria-label": "Hands" },
      h("div", { class: "toolbar" }, h("h2", {}, "Hands"), this.folderChoice, this.nav, this.reviewChoice,
        h("button", { class: "button small", type: "button", title: "look for new hands and reviews", onclick: () => this.load() }, "refresh")),
      this.problem, this.body);
    this.load();
  }

  /** Show what the address says. */
  update(): void {
    const { places } = this;
    if (places === null) return;
    if (places.folders.length === 0) {
      this.showNone();
      return;
    }
    const { options } = this.context.store.state;
    const folder = places.folders.find(({ id }) => id === options["folder"]) ?? this.firstFolder(places);
    if (folder === undefined) return;
    const reviews = places.reviews.filter((one) => one.folder === folder.id);
    const review = this.reviewed(folder);
    this.showChoices(places.folders, folder, reviews, review);
    const part = PARTS.find((name) => name === options["part"]) ?? "list";
    for (const [name, button] of this.tabs) setAttribute(button, "aria-pressed", name === part ? "true" : "false");
    if (folder.problem !== null) this.showBody(h("p", { class: "lost" }, folder.problem));
    else if (options["played"] !== undefined) this.showHand(folder, review);
    else if (part === "list") this.showList(folder);
    else if (review === null) this.showBody(noReview(folder));
    else this.showPart(part, folder, review);
  }

  private firstFolder(places: HandPlaces): HandFolder | undefined {
    const reviewed = places.reviews.find(({ folder }) => folder !== null)?.folder;
    return places.folders.find(({ id }) => id === reviewed) ?? places.folders[0];
  }

  /** The chosen review of a folder, or its first one. */
  private reviewed({ id: folder }: HandFolder): HandReviewPlace | null {
    const reviews = (this.places?.reviews ?? []).filter((one) => one.folder === folder);
    return reviews.find(({ id }) => id === this.context.store.state.options["review"]) ?? reviews[0] ?? null;
  }

  private load(): void {
    api.handPlaces().then((places) => {
      this.places = places;
      this.problem.hidden = true;
      this.update();
    }, (error: unknown) => {
      this.problem.textContent = messageOf(error);
      this.problem.hidden = false;
    });
  }

  private showChoices(folders: readonly HandFolder[], folder: HandFolder, reviews: readonly HandReviewPlace[], review: HandReviewPlace | null): void {
    this.nav.hidden = false;
    this.folderChoice.hidden = folders.length === 0;
    fill(this.folderChoice, ...folders.map(({ id, name, hands }) => (
      h("option", { value: id, selected: id === folder.id }, `${name} (${hands === null ? "damaged" : count(hands)})`))));
    this.reviewChoice.hidden = reviews.length === 0;
    fill(this.reviewChoice, ...reviews.map(({ id, name, player }) => (
      h("option", { value: id, selected: id === review?.id }, `review of ${player ?? "?"}: ${name}`))));
    if (this.named === folder.id || folder.problem !== null) return;
    this.named = folder.id;
    api.handNames(folder.id).then((names) => fill(this.players, ...names.map((name) => h("option", { value: name }))), () => fill(this.players));
  }

  private showList(folder: HandFolder): void {
    const { options } = this.context.store.state;
    const filters = filtersOf(options);
    const viewer = this.reviewed(folder)?.player ?? "";
    for (const input of [this.player, this.pot, this.street, this.moves]) {
      if (document.activeElement !== input) input.value = filters[input.name as keyof typeof filters];
    }
    this.showBody(this.filters, this.list.element);
    this.list.show(folder.id, { ...filters, viewer });
  }

  private showHand(folder: HandFolder, review: HandReviewPlace | null): void {
    const { options } = this.context.store.state;
    const [file = 0, row = 0] = (options["played"] ?? "").split("-").map(Number);
    const isNew = this.body.firstChild !== this.replayer.element;
    this.showBody(this.replayer.element);
    const player = options["player"] === undefined || options["player"] === "me" ? null : options["player"];
    this.replayer.show({ folder: folder.id, file: file || 0, row: row || 0, review: review?.id ?? null, player });
    if (isNew) this.replayer.focus();
  }

  private showPart(part: Exclude<Part, "list">, folder: HandFolder, review: HandReviewPlace): void {
    const { options } = this.context.store.state;
    const { kind: by, leak: name } = options;
    const group: GroupName | null = by === undefined || name === undefined ? null : { by, name };
    if (part === "leaks") {
      this.showBody(this.leaks.element);
      this.leaks.show(review.id, group);
    } else if (part === "study") {
      this.showBody(this.study.element);
      this.study.element.dataset["folder"] = folder.id;
      this.study.show(review.id, group);
    } else {
      this.showBody(this.tilt.element);
      const hands = Number(options["window"] ?? WINDOW);
      this.tilt.show(review.id, Number.isInteger(hands) && hands > 0 ? hands : WINDOW);
    }
  }

  private showBody(...parts: HTMLElement[]): void {
    if (parts.length === this.body.childElementCount && parts.every((part, at) => this.body.children[at] === part)) return;
    fill(this.body, ...parts);
  }

  private showNone(): void {
    this.nav.hidden = true;
    this.folderChoice.hidden = true;
    this.reviewChoice.hidden = true;
    this.showBody(h("section", { class: "empty" }, h("h2", {}, "No hands yet"),
      h("p", {}, "Import the text files of a poker site into the served folder, then look again:"),
      h("pre", {}, "untilt hands import ~/HandHistory -o hands/"),
      h("p", {}, "Nothing leaves this machine. A blueprint then says where you lose, and whether it gets worse:"),
      h("pre", {}, "untilt hands review hands/ --player me --agent bp/ -o leaks/")));
  }

  private openMistake({ file, row }: Mistake): void {
    this.set({ played: `${file}-${row}` });
  }

  private async step(by: number): Promise<void> {
    const [file = 0, row = 0] = (this.context.store.state.options["played"] ?? "").split("-").map(Number);
    const next = await this.list.beside(file, row, by);
    if (next !== null) this.set({ played: `${next.file}-${next.row}` });
  }

  private typed(): void {
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => this.set({
      player: this.player.value.trim() || null, pot: this.pot.value.trim() || null, street: this.street.value || null,
      moves: this.moves.value.trim() || null,
    }), TYPING_MS);
  }

  private set(change: Record<string, string | null>): void {
    const { store } = this.context;
    const options = { ...store.state.options };
    for (const [name, value] of Object.entries(change)) {
      if (value === null) delete options[name];
      else options[name] = value;
    }
    store.set({ view: HANDS, options }, { replace: !("part" in change || "played" in change) });
  }
}

function filtersOf(options: AppState["options"]): Omit<api.HandFilters, "viewer"> {
  const of = (name: string): string => options[name] ?? "";
  return { player: of("player"), pot: of("pot"), street: of("street"), moves: of("moves") };
}

function noReview({ name }: HandFolder): HTMLElement {
  return h("section", { class: "empty" }, h("h2", {}, "These hands have no review yet"),
    h("p", {}, "A blueprint, or push/fold charts for short stacks, judge every decision of a player:"),
    h("pre", {}, `untilt hands review ${name}/ --player me --agent bp/ -o leaks/`));
}

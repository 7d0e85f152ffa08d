// @ts-check
// A game in progress, as the page is told of it: positions, who sits where, what may be taken back, saved games.
// After kemu/table/session.py, table/visibility.py and web/position.py.

import { Snapshots } from "./values.js";
import { drawn } from "./numbers.js";
import { said } from "./phrases.js";
import { scene, who } from "./position.js";

const UNSEEN = "?";
const NOBODY = ""; // in the place of a player's name: somebody who has no seat

/** @typedef {import("./machine.js").Stop} Stop */
/** @typedef {{text: string, actor?: string}} Step */

export class Session {
  /** @param {any} instance what is played: `machine`, `views`, `data` @param {Record<string, string>} seats
   *  @param {number} seed @param {string[][]} phrases */
  constructor(instance, seats, seed, phrases) {
    this.instance = instance;
    this.machine = instance.machine;
    this.seats = seats;
    this.seed = seed;
    this.phrases = phrases;
    this.secrets = this.machine.data.secrets;
    /** @type {Stop[]} */
    this.stops = [this.machine.begin()];
    /** @type {Step[]} */
    this.steps = [];
    const people = Object.keys(seats).filter((player) => seats[player] === "human");
    this.viewer = people.length === 1 ? people[0] : NOBODY;
  }

  get stop() {
    return this.stops[this.stops.length - 1];
  }

  get actor() {
    return this.machine.actor(this.stop);
  }

  get over() {
    return this.machine.kind(this.stop) === "end";
  }

  /** Whether a person is to decide now. */
  get decides() {
    return this.machine.kind(this.stop) === "decide" && this.seats[this.actor] === "human";
  }

  /** The player who must come to the page before anything of his is shown; "" if nobody need. */
  get handsOver() {
    return this.decides && this.secrets && this.actor !== this.viewer ? this.actor : "";
  }

  get waits() {
    return this.decides && !this.handsOver;
  }

  /** The number of the viewer: after the last player somebody without a seat; null: he may see all. */
  get seer() {
    if (!this.secrets) return null;
    const { players } = this.machine;
    return this.viewer ? players.indexOf(this.viewer) : players.length;
  }

  /** Goes on by an action or outcome. @param {number} index */
  apply(index) {
    const { stop, actor } = this;
    const step = { text: this.machine.moves(stop)[index].text, ...(actor ? { actor } : {}) };
    this.stops.push(this.machine.follow(stop, index));
    this.steps.push(step);
  }

  /** What chance, or a player at random, does. */
  drawn() {
    return drawn(this.machine.lot(this.stop), this.seed, this.steps.length);
  }

  /** Takes back the last decision of a person and all that followed. */
  undo() {
    const last = this.takenBack();
    this.steps.length = last;
    this.stops.length = last + 1;
  }

  get canUndo() {
    try {
      return this.takenBack() >= 0;
    } catch {
      return false;
    }
  }

  /** The number of the first step that is taken back. */
  takenBack() {
    const mine = this.steps.map((step) => !!step.actor && this.seats[step.actor] === "human");
    const last = mine.lastIndexOf(true);
    if (last < 0) throw new Error("you have no decision to take back");
    if (this.steps.slice(last).some((step) => !step.actor)) {
      throw new Error(`chance has played a part since ${this.steps[last].text}, and what it showed cannot be unseen`);
    }
    if (this.secrets) throw new Error("this game has secrets, and what a decision has shown cannot be unseen");
    return last;
  }

  // ---------------------------------------------------------------------------------------- what the page is told

  /** The whole position. @returns {any} */
  message() {
    const { machine, stop, waits } = this;
    const views = machine.data.views[this.seer ?? 0];
    const arms = machine.kind(stop) === "decide" ? machine.exit(stop)[3] : [];
    return {
      format: "kemu-table",
      version: 1,
      step: this.steps.length,
      scene: scene(this.instance.views, views, stop, waits),
      actions: waits ? machine.moves(stop) : [],
      parameters: waits ? Object.fromEntries(arms.map((/** @type {any} */ [name, params]) =>
        [name, params.map((/** @type {any} */ each) => each[0])])) : {},
      log: this.steps.map((_, number) => this.told(number)),
      facts: this.facts(stop),
      seats: { ...this.seats },
      waits,
      over: this.over,
      hand_over: this.handsOver,
      undo: this.canUndo,
    };
  }

  /** A step as the viewer may know it. @param {number} number */
  told(number) {
    const { machine, seer } = this;
    const [step, stop] = [this.steps[number], this.stops[number]];
    const hidden = seer !== null && !this.opened(number);
    const text = hidden ? machine.told(stop, machine.index(stop, step.text), seer) : step.text;
    let words = said(this.phrases, machine.kind(stop) === "chance" ? machine.label(stop) : "", text);
    if (text === UNSEEN) {
      const known = this.facts(stop); // of a secret step what the viewer saw of it
      words = this.facts(this.stops[number + 1]).filter((each) => !known.includes(each)).join("; ");
    }
    return { who: who(machine, stop), player: step.actor ?? "", text, words };
  }

  /** What the rules say of a step; without its number, of what can be done now. @param {number} [number] */
  why(number) {
    const { machine } = this;
    const stop = number === undefined ? this.stop : this.stops[number];
    const { lines, stops, statements } = machine.data.why;
    const shown = number === undefined ? stop.choices
      : this.told(number).text === UNSEEN ? [] : [stop.choices[machine.index(stop, this.steps[number].text)]];
    const arms = [...new Set(shown.map((each) => each.arm))].sort((one, other) => one - other);
    const here = [...new Set(arms.map((arm) => stops[stop.block][arm]))].filter((at) => at >= 0).map((at) => lines[at]);
    const cites = [...new Set(here.flatMap((each) => each.cites))].filter((cite) => cite in statements);
    return {
      changes: [],
      lines: here.map(({ line, text, doc }) => ({ line, text, doc })),
      statements: cites.map((each) => ({ number: each, text: statements[each] })),
    };
  }

  /** Whether a step was chosen together with others, and all have chosen. @param {number} number */
  opened(number) {
    const { machine, stops } = this;
    let last = number;
    while (last < this.steps.length - 1 && machine.together(stops[last], stops[last + 1])) last += 1;
    return machine.sealed(stops[number]) && !machine.together(stops[last], stops[last + 1]);
  }

  /** What the viewer knows and no view shows. @param {Stop} stop @returns {string[]} */
  facts(stop) {
    const { machine, seer } = this;
    const { vars, result, views } = machine.data;
    if (seer === null && views[0].length) return [];
    const you = seer !== null && this.viewer ? "you see " : "";
    /** @type {Map<string, string>} */
    const held = new Map();
    vars.forEach((/** @type {any} */ [name, , , , , , seen, local], /** @type {number} */ at) => {
      if (local || at === result || (!seen && views[0].length)) return;
      held.set(name, worded(this.own(machine.value(stop, at, seer))));
    });
    return [...held].map(([name, value]) => `${you}${name}: ${value}`).filter((line) => !/: \??$/.test(line));
  }

  /** Of a map of what each player has, what the viewer has. @param {any} value */
  own(value) {
    if (this.seer === null || !this.viewer || !(value instanceof Map)) return value;
    const known = [...value].filter(([, each]) => each !== UNSEEN);
    if (known.length === 1 && known[0][0] === this.viewer) return known[0][1];
    const mine = `${this.viewer}, `;
    if (!known.length || !known.every(([key]) => key.startsWith(mine))) return value;
    return new Map(known.filter(([, each]) => each !== 0 && each !== 0n).map(([key, each]) => [key.slice(mine.length), each]));
  }
}

/** A value in words; of a map, what is known and not nothing. @param {any} value @returns {string} */
function worded(value) {
  if (value instanceof Map) {
    const nothing = (/** @type {any} */ each) => each === false || each === UNSEEN || each === "none" || (Array.isArray(each) && !each.length);
    return [...value].filter(([, each]) => !nothing(each)).map(([key, each]) => `${key} ${worded(each)}`).join(", ");
  }
  if (value instanceof Snapshots) return value.size ? `${value.size} noted` : "{}";
  return Array.isArray(value) ? `{${value.join(", ")}}` : String(value);
}

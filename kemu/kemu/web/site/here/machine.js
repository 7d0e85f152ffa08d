// @ts-check
// Play: from stop to stop, what can be done there and how it is called, how a game ended, who sees what. After
// kemu_engine/interp/machine.py, play/state.py and kernel/sight.py.

import { Reader } from "./kernel.js";
import { sequence } from "./statements.js";
import { Fault, Snapshots, elements } from "./values.js";

const MOST_BLOCKS = 1_000_000;
const MOST_ACTIONS = 1 << 20;
const UNSEEN = "?";

/** @typedef {{arm: number, values: number[], weight: number | bigint}} Choice */
/** @typedef {{block: number, vars: any[], locals: any[], actor: number, choices: Choice[]}} Stop */
/** @typedef {{form: string, places: Map<string, number>, scores: Map<string, any[]>}} Result */

/** The text with one blank between words and after commas, and no other whitespace. @param {string} text */
export function canonical(text) {
  return text.trim().replace(/\s+/g, " ").replace(/(?<![\p{L}\p{N}_]) | (?![\p{L}\p{N}_])/gu, "")
    .replace(/,(?=[^,)\]}])/g, ", ");
}

/** An action's name and arguments. @param {string} given @returns {{name: string, args: string[]}} */
export function parse(given) {
  const text = canonical(given);
  const match = /^([\p{L}\p{N}_]+)\((.+)\)$/u.exec(text);
  const args = match ? split(match[2]) : null;
  return match && args ? { name: match[1], args } : { name: text, args: [] };
}

/** The parts between the commas outside brackets. @param {string} text @returns {string[] | null} */
function split(text) {
  const args = [];
  let [depth, start] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    if ("([{".includes(text[at])) depth += 1;
    if (")]}".includes(text[at])) depth -= 1;
    if (depth < 0) return null;
    if (text[at] === "," && depth === 0) {
      args.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return depth ? null : [...args, text.slice(start).trim()];
}

/** @param {string} name @param {string[]} args */
export const worded = (name, args) => (args.length ? `${name}(${args.join(", ")})` : name);

export class Machine {
  /** @param {any} data a program */
  constructor(data) {
    this.data = data;
    this.players = data.players;
    this.reader = new Reader(data);
    /** @type {(() => any)[]} */
    this.bodies = [];
    /** @type {(() => number | Stop)[]} */
    this.leaves = [];
  }

  /** @param {number} list @returns {string[]} */
  texts(list) {
    return list < 0 ? [] : this.data.texts[list];
  }

  // ---------------------------------------------------------------------------------------- running

  /** The first stop. @returns {Stop} */
  begin() {
    this.reader.enter(this.reader.initial, this.reader.unset.slice());
    return this.advance(this.data.entry);
  }

  /** Stands at a stop, so that expressions can be worked out there. @param {Stop} stop */
  stand(stop) {
    const locals = this.reader.unset.slice();
    this.data.blocks[stop.block][2].forEach((/** @type {number} */ local, /** @type {number} */ at) => {
      locals[local] = stop.locals[at];
    });
    this.reader.enter(stop.vars, locals);
  }

  /** @param {Stop} stop @param {number} index of a choice @returns {Stop} */
  follow(stop, index) {
    this.stand(stop);
    const { arm, values } = stop.choices[index];
    const exit = this.exit(stop);
    if (exit[0] === "decide") {
      const [, params, , , target] = exit[3][arm];
      params.forEach((/** @type {any} */ each, /** @type {number} */ at) => {
        this.reader.binder(each[1])(values[at]);
      });
      return this.advance(target);
    }
    this.reader.binder(exit[2])(values[0]);
    return this.advance(exit[5]);
  }

  /** @param {number} block @returns {Stop} */
  advance(block) {
    for (let passed = 0; passed <= MOST_BLOCKS; passed += 1) {
      (this.bodies[block] ??= sequence(this.reader, this.data.blocks[block][0], "n"))();
      const going = (this.leaves[block] ??= this.leave(block))();
      if (typeof going !== "number") return going;
      block = going;
    }
    throw new Fault("the rules take more than 1,000,000 turns without coming to a stop");
  }

  /** @param {number} number @returns {() => number | Stop} */
  leave(number) {
    const { reader } = this;
    const exit = this.data.blocks[number][1];
    const [tag, ...rest] = exit;
    switch (tag) {
      case "goto":
        return () => rest[0];
      case "split": {
        const test = reader.expr(rest[0]);
        return () => (test() ? rest[1] : rest[2]);
      }
      case "switch":
        return () => rest[1][Number(reader.frame.locals[rest[0]])];
      case "fail":
        return reader.failing(rest[0]);
      case "end":
        return () => this.stop(number, this.forget(number), -1, []);
      case "chance":
        return this.chance(number, rest);
      default:
        return this.decision(number, rest);
    }
  }

  /** @param {number} block @param {any[]} locals @param {number} actor @param {Choice[]} choices @returns {Stop} */
  stop(block, locals, actor, choices) {
    return { block, vars: this.reader.frame.vars.slice(), locals, actor, choices };
  }

  /** Leaves no local but the live ones of a stop, whose values it gives. @param {number} number @returns {any[]} */
  forget(number) {
    const { frame, unset } = this.reader;
    const live = this.data.blocks[number][2];
    const values = live.map((/** @type {number} */ local) => frame.locals[local]);
    frame.locals = unset.slice();
    live.forEach((/** @type {number} */ local, /** @type {number} */ at) => {
      frame.locals[local] = values[at];
    });
    frame.own = []; // what a stop holds is written no more
    return values;
  }

  /** @param {number} number @param {any[]} rest @returns {() => number | Stop} */
  decision(number, [label, who, arms, other, stuck]) {
    const actor = this.reader.as(who, "n");
    const menu = arms.map((/** @type {any} */ arm) => this.arm(arm));
    const fail = other < 0 ? this.reader.failing(stuck) : () => other;
    return () => {
      const locals = this.forget(number);
      const player = actor();
      /** @type {Choice[]} */
      const choices = [];
      menu.forEach((/** @type {any} */ list, /** @type {number} */ arm) => {
        list((/** @type {number[]} */ values) => {
          choices.push({ arm, values, weight: 1 });
          if (choices.length > MOST_ACTIONS) throw new Fault(`the decision \`${label}\` has more than 1,048,576 actions`);
        });
      });
      return choices.length ? this.stop(number, locals, player, choices) : fail();
    };
  }

  /** What tells of the legal actions of an arm, the last parameter fastest. @param {any} arm */
  arm([, params, guard, legal]) {
    const { reader } = this;
    const [open, allowed] = [reader.expr(guard), reader.expr(legal)];
    const made = params.map((/** @type {any} */ [, local, over, where]) =>
      ({ bind: reader.binder(local), over: reader.elements(over), where: reader.expr(where) }));
    /** @param {(values: number[]) => void} found @param {number[]} values */
    const list = (found, values) => {
      if (values.length === made.length) {
        if (allowed()) found(values);
        return;
      }
      const { bind, over, where } = made[values.length];
      for (const value of over()) {
        bind(value);
        if (where()) list(found, [...values, value]);
      }
    };
    return (/** @type {(values: number[]) => void} */ found) => {
      if (open()) list(found, []);
    };
  }

  /** @param {number} number @param {any[]} rest @returns {() => Stop} */
  chance(number, [, local, weight, texts, , empty]) {
    const likely = this.reader.expr(weight);
    const fail = this.reader.failing(empty);
    const bind = this.reader.binder(local);
    return () => {
      const locals = this.forget(number);
      /** @type {Choice[]} */
      const choices = [];
      this.texts(texts).forEach((_, outcome) => {
        bind(outcome);
        const mass = likely();
        if (mass) choices.push({ arm: 0, values: [outcome], weight: mass });
      });
      return choices.length ? this.stop(number, locals, -1, choices) : fail();
    };
  }

  // ---------------------------------------------------------------------------------------- stops

  /** @param {Stop} stop */
  exit(stop) {
    return this.data.blocks[stop.block][1];
  }

  /** @param {Stop} stop */
  kind(stop) {
    return this.exit(stop)[0];
  }

  /** @param {Stop} stop @returns {string} */
  label(stop) {
    return this.kind(stop) === "end" ? "end" : this.exit(stop)[1];
  }

  /** Who decides; "" at chance and at the end. @param {Stop} stop @returns {string} */
  actor(stop) {
    return this.players[stop.actor] ?? "";
  }

  /** What can come next, whoever chooses. @param {Stop} stop @returns {{name: string, args: string[], text: string}[]} */
  moves(stop) {
    return stop.choices.map((choice) => {
      const { name, args } = this.kind(stop) === "decide" ? this.action(stop, choice) : parse(this.outcome(stop, choice));
      return { name, args, text: worded(name, args) };
    });
  }

  /** @param {Stop} stop @param {Choice} choice @returns {{name: string, args: string[]}} */
  action(stop, choice) {
    const [name, params] = this.exit(stop)[3][choice.arm];
    const args = choice.values.map((value, at) => this.texts(params[at][4])[value]);
    return { name, args: args.filter(Boolean) };
  }

  /** @param {Stop} stop @param {Choice} choice */
  outcome(stop, choice) {
    return this.texts(this.exit(stop)[4])[choice.values[0]];
  }

  /** The place of an action or outcome in moves(), by its text; -1 if it is not among them.
   *  @param {Stop} stop @param {string} text */
  index(stop, text) {
    const wanted = canonical(text);
    const possible = this.moves(stop).map((each) => canonical(each.text));
    const found = possible.indexOf(wanted);
    if (found >= 0 || this.kind(stop) !== "chance" || !text.trim().startsWith(`${this.label(stop)} `)) return found;
    return possible.indexOf(canonical(text.trim().slice(this.label(stop).length + 1)));
  }

  /** What is drawn at random is drawn from. @param {Stop} stop */
  lot(stop) {
    const chance = this.kind(stop) === "chance";
    const arms = chance ? [] : this.exit(stop)[3];
    const one = arms.length === 1 && arms[0][1].length === 1;
    return { chance, choices: stop.choices, values: one ? this.texts(arms[0][1][0][4]).length : 0 };
  }

  /** @param {Stop} stop @returns {Result | null} */
  result(stop) {
    if (this.kind(stop) !== "end") return null;
    const { result, width } = this.data;
    const keys = stop.vars[result];
    const scores = new Map(this.players.map((/** @type {string} */ player, /** @type {number} */ at) =>
      [player, keys.slice(at * width, (at + 1) * width)]));
    const places = new Map([...scores].map(([player, score]) =>
      [player, 1 + [...scores.values()].filter((other) => before(score, other)).length]));
    return { form: this.exit(stop)[1], places, scores };
  }

  // ---------------------------------------------------------------------------------------- who sees what

  /** Whether the next decision is made together with this one. @param {Stop} stop @param {Stop} later */
  together(stop, later) {
    return this.sealed(stop) && stop.block === later.block && stop.actor < later.actor;
  }

  /** Whether what is chosen there is told when all have chosen. @param {Stop} stop */
  sealed(stop) {
    return this.kind(stop) === "decide" && this.exit(stop)[6] === "together";
  }

  /** What a player is told of a choice as it comes. @param {Stop} stop @param {number} index @param {number} seer */
  told(stop, index, seer) {
    const [exit, choice] = [this.exit(stop), stop.choices[index]];
    if (this.kind(stop) === "decide") {
      const { name, args } = this.action(stop, choice);
      return exit[6] === "at once" || stop.actor === seer ? worded(name, args) : UNSEEN;
    }
    if (exit[7] !== null) {
      this.stand(stop);
      if (!elements(this.reader.expr(exit[7])()).includes(seer)) return UNSEEN;
    }
    return this.outcome(stop, choice);
  }

  /** A state variable in readable form: truth, a number, a text, a list (a set), or a map of such by labels; of a
   *  history how many snapshots are noted. `seer`: ? for what this player does not see; null: all is seen.
   *  @param {Stop} stop @param {number} at @param {number | null} seer @returns {any} */
  value(stop, at, seer) {
    const [, form, length, , labels, list, seen, , low] = this.data.vars[at];
    const [cells, texts] = [stop.vars[at], this.texts(list)];
    if (cells instanceof Snapshots) return cells;
    const shown = (/** @type {any} */ cell, /** @type {number} */ place) => {
      if (seer !== null && seen && !((BigInt(seen[place]) >> BigInt(seer)) & 1n)) return UNSEEN;
      if (form === "b") return Boolean(cell);
      if (form === "s" || form === "S") return elements(cell).map((each) => (texts.length ? texts[each] : each));
      return texts.length ? texts[Number(cell) - low] : cell;
    };
    if (length === null) return shown(cells, 0);
    const names = this.texts(labels);
    return new Map(cells.map((/** @type {any} */ cell, /** @type {number} */ place) => [names[place] ?? String(place), shown(cell, place)]));
  }
}

/** Whether the other score is better. @param {any[]} score @param {any[]} other */
function before(score, other) {
  const at = score.findIndex((key, place) => key !== other[place]);
  return at >= 0 && other[at] > score[at];
}

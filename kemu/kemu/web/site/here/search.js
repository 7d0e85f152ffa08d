// @ts-check
// What a search in the compiled module is to do, and how it is told what was found out. After
// kemu_engine/run/wasm/programs/searcher.py and kemu/table/hint.py.

import { grown } from "./doubts.js";
import { best } from "./thought.js";
import { Tree } from "./tree.js";
import { Snapshots } from "./values.js";
import { Stream, odd } from "./numbers.js";

const WIDE = 0.7; // how much is explored
const [EVEN, LITTLE, FAR] = [0.03, 0.1, 0.25]; // from a half: about even, a little ahead, far ahead

/** @typedef {import("./thought.js").Branch} Branch */
/** @typedef {import("./thought.js").Thought} Thought */
/** What values mean; after kemu/table/worth.py. @typedef {{kind: string, low: number, high: number, note: string}} Worth */
/** `second`: whether the second player is to choose; `solving`: whether anything can be proved.
 *  @typedef {{writes: [number, Uint8Array][], stop: number, second: boolean, solving: boolean, root: number, hot: number, cold: number,
 *    at: number, actor: number, longest: number, games: number, seconds: number}} Job */

/** What a module is to do. @param {import("./machine.js").Machine} machine @param {any} layout where things are in it
 *  @param {import("./machine.js").Stop} stop @param {{seed: number, number: number, games?: number, seconds?: number}} asked
 *  @returns {Job} */
export function job(machine, layout, stop, { seed, number, games = Infinity, seconds = Infinity }) {
  const few = new DataView(new ArrayBuffer(8));
  few.setInt32(0, 1, true);
  few.setInt32(4, Number(layout.zero_sum), true);
  const scale = new Float64Array([layout.low, 1 / (layout.high - layout.low)]);
  const streams = new BigUint64Array([0, 1, 2].map((each) => new Stream(seed, number, each).key));
  /** @type {[number, Uint8Array][]} */
  const writes = [
    [layout.scale, new Uint8Array(scale.buffer)],
    [layout.wide, new Uint8Array(new Float64Array([WIDE]).buffer)],
    [layout.patience, new Uint8Array(few.buffer)],
    [layout.streams, new Uint8Array(streams.buffer)],
    [layout.position, position(machine, layout, stop)],
    ...histories(machine, layout, stop),
  ];
  const { root, hot, cold, visits, actor, longest, zero_sum: solving } = layout;
  const [first, second] = [layout.stops.indexOf(stop.block), stop.actor === 1];
  return { writes, stop: first, second, solving, root, hot, cold, at: visits, actor, longest, games, seconds };
}

/** @param {Uint8Array} bytes @param {number} at @param {number} size @param {any} value */
function put(bytes, at, size, value) {
  let rest = BigInt.asUintN(8 * size, BigInt(value));
  for (let byte = 0; byte < size; byte += 1, rest >>= 8n) bytes[at + byte] = Number(rest & 0xffn);
}

/** A stop as it lies in the module's memory. @param {import("./machine.js").Machine} machine @param {any} layout
 *  @param {import("./machine.js").Stop} stop */
function position(machine, layout, stop) {
  const bytes = new Uint8Array(layout.size);
  layout.slots.forEach((/** @type {any} */ slot, /** @type {number} */ number) => {
    const cells = stop.vars[number];
    if (cells instanceof Snapshots) {
      const { hashes } = layout.logs[number];
      put(bytes, slot[0] - layout.position, 4, hashes);
      put(bytes, slot[0] - layout.position + 4, 4, hashes + 8 * cells.size);
    } else variable(bytes, layout.position, slot, cells);
  });
  let at = layout.held - layout.position;
  machine.data.blocks[stop.block][2].forEach((/** @type {number} */ local, /** @type {number} */ index) => {
    const size = 8 * (layout.words[local] ?? 1);
    put(bytes, at, size, stop.locals[index]);
    at += size;
  });
  put(bytes, layout.size - 16, 4, layout.stops.indexOf(stop.block));
  put(bytes, layout.size - 12, 4, stop.actor);
  return bytes;
}

/** @param {Uint8Array} bytes @param {number} start @param {any} slot @param {any} cells */
function variable(bytes, start, [at, size, masks, row, lowest, values], cells) {
  const items = Array.isArray(cells) ? cells : [cells];
  items.forEach((item, number) => put(bytes, at - start + number * size, size, item));
  if (masks < 0) return;
  for (let number = 0; number < values; number += 1) {
    const mask = items.reduce((found, item, place) => (Number(item) === lowest + number ? found | (1n << BigInt(place)) : found), 0n);
    put(bytes, masks - start + number * row, row, mask);
  }
}

/** Histories as they lie there: the hashes of their snapshots, and those.
 *  @param {import("./machine.js").Machine} machine @param {any} layout @param {import("./machine.js").Stop} stop */
function* histories(machine, layout, stop) {
  for (const [number, log] of Object.entries(layout.logs)) {
    const history = stop.vars[Number(number)];
    if (8 * history.size > log.room) throw new Error("this game is too long to be thought about");
    const [hashes, rows] = [new Uint8Array(8 * history.size), new Uint8Array(8 * log.pieces.length * history.size)];
    const image = new Uint8Array(layout.size + 8);
    const view = new DataView(image.buffer);
    let place = 0;
    for (const { times, cells } of history.noted.values()) {
      machine.data.vars[Number(number)][9].forEach((/** @type {number} */ at, /** @type {number} */ index) =>
        variable(image, layout.position, layout.slots[at], cells[index]));
      const words = log.pieces.map((/** @type {[number, string]} */ [at, bits]) => view.getBigUint64(at - layout.position, true) & BigInt(bits));
      const sum = words.reduce((/** @type {bigint} */ all, /** @type {bigint} */ word, /** @type {number} */ at) => all + word * odd(at), 0n);
      for (let time = 0; time < times; time += 1, place += 1) {
        put(hashes, 8 * place, 8, sum);
        words.forEach((/** @type {bigint} */ word, /** @type {number} */ at) => put(rows, 8 * (place * words.length + at), 8, word));
      }
    }
    yield /** @type {[number, Uint8Array]} */ ([log.hashes, hashes]);
    yield /** @type {[number, Uint8Array]} */ ([log.snapshots, rows]);
  }
}

/** Does it. @param {any} module what the module exports @param {Job} wanted @returns {Thought | null} null if the rules
 *  break down there */
export function searched(module, wanted) {
  const tree = new Tree(module, wanted);
  if (!tree.stands) return null;
  const { branches, games } = grown(tree, wanted);
  return { branches: branches.map((each, number) => ({ ...each, onward: tree.onward(number) })), games };
}

/** The texts of choices, one after the other. @param {import("./machine.js").Machine} machine @param {import("./machine.js").Stop} stop
 *  @param {number[]} numbers */
export function turn(machine, stop, numbers) {
  return numbers.map((number, at) => {
    if (at) stop = machine.follow(stop, numbers[at - 1]);
    return machine.moves(stop)[number].text;
  });
}

/** The best actions, with what they are worth to the player who acts, and how his turn would go on. After
 *  kemu/table/hint.py. @param {Thought} thought @param {string[]} turns an action and what follows it, for each branch
 *  @param {Worth} values @returns {string[]} */
export function hints(thought, turns, values) {
  const chosen = best(thought);
  const proved = Math.max(...thought.branches.map((each) => each.low)) === Math.max(...thought.branches.map((each) => each.high));
  const lines = thought.branches.map((each, at) => ({ ...each, text: turns[at], at }));
  const about = proved ? "proved" : `after ${thought.games.toLocaleString("en")} random games from here`;
  const others = lines.filter((each) => each.at !== chosen).sort((one, other) => other.visits - one.visits || other.value - one.value)
    .slice(0, 4).filter((each) => each.visits).sort((one, other) => other.value - one.value);
  const longest = Math.max(0, ...others.map((each) => each.text.length));
  return [
    `${lines[chosen].text}: ${worth(lines[chosen], values)} (${about}).`,
    ...others.map((each) => `  ${each.text.padEnd(longest)}  ${worth(each, values)}`),
    ...(values.note ? [values.note] : []),
  ];
}

/** @param {Branch} branch @param {Worth} values */
function worth({ value, low, high }, values) {
  if (low !== high) return told(value, values);
  const sure = value === 0 ? "loses" : value === 1 ? "wins" : value === 0.5 ? "is a draw" : told(value, values);
  return `${sure} for certain`;
}

/** @param {number} value @param {Worth} values */
function told(value, { kind, low, high }) {
  const part = (100 * value).toFixed(0);
  if (kind === "paid") return `is paid about ${Number((low + value * (high - low)).toPrecision(3))}`;
  if (kind === "ahead") return `${far(value - 0.5)}, ${part} of 100`;
  return kind === "wins" ? `about ${part} % to win` : `comes in before about ${part} % of the others`;
}

/** @param {number} ahead */
function far(ahead) {
  if (Math.abs(ahead) < EVEN) return "about even";
  const much = Math.abs(ahead) < LITTLE ? "a little " : Math.abs(ahead) >= FAR ? "far " : "";
  return much + (ahead > 0 ? "ahead" : "behind");
}

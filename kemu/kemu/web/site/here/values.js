// @ts-check
// Values as the kernel keeps them in the page, and what is done with them: numbers, sets in masks, histories.
//
// A form says how a value is kept: b truth, n a number, N a BigInt, s a set in a number, S one in a BigInt, h a history.

/** @typedef {"b" | "n" | "N" | "s" | "S" | "h"} Form */
/** @typedef {() => any} Get */

/** The rules ran into something that must not be; the message is for people. */
export class Fault extends Error {}

const MOST_TIMES = 255;
/** @type {bigint[]} */
const BITS = [];
/** @param {number} at */
export const bit = (at) => (BITS[at] ??= 1n << BigInt(at));

/** The value that is written so, in a form. @param {number | string} told @param {Form} form */
export const parsed = (told, form) => (form === "N" || form === "S" ? BigInt(told) : Number(told));

/** @param {Get} get @param {Form} from @param {Form} to @returns {Get} */
export function converted(get, from, to) {
  if (from === to || to === "b") return get;
  if (to === "N" || to === "S") return () => BigInt(get());
  return from === "N" || from === "S" || from === "b" ? () => Number(get()) : get;
}

/** The elements of a set, ascending. @param {number | bigint} mask @returns {number[]} */
export function elements(mask) {
  /** @type {number[]} */
  const found = [];
  if (typeof mask === "number") {
    for (let rest = mask; rest; rest &= rest - 1) found.push(31 - Math.clz32(rest & -rest));
    return found;
  }
  for (let first = 0, left = mask; left; first += 32, left >>= 32n) {
    for (let rest = Number(left & 0xffffffffn) | 0; rest; rest &= rest - 1) found.push(first + 31 - Math.clz32(rest & -rest));
  }
  return found;
}

/** @param {number | bigint} mask */
export function size(mask) {
  let found = 0;
  for (let left = BigInt(mask); left; left >>= 32n) {
    for (let rest = Number(left & 0xffffffffn) | 0; rest; rest &= rest - 1) found += 1;
  }
  return found;
}

/** Multisets of snapshots: the values of histories. They never change. */
export class Snapshots {
  /** @param {Map<string, {times: number, cells: any[]}>} noted */
  constructor(noted = new Map()) {
    this.noted = noted;
  }

  /** @param {any[]} cells */
  static key(cells) {
    return cells.map((each) => (Array.isArray(each) ? each.join(",") : String(each))).join(";");
  }

  get size() {
    return [...this.noted.values()].reduce((sum, each) => sum + each.times, 0);
  }

  /** @param {any[]} cells */
  times(cells) {
    return Math.min(this.noted.get(Snapshots.key(cells))?.times ?? 0, MOST_TIMES);
  }

  /** @param {any[]} cells */
  with(cells) {
    const key = Snapshots.key(cells);
    return new Snapshots(new Map(this.noted).set(key, { times: (this.noted.get(key)?.times ?? 0) + 1, cells }));
  }
}

/** @type {Record<string, (a: any, b: any) => any>} */
export const NUMBERS = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => Math.floor(a / b),
  mod: (a, b) => {
    const rest = a % b;
    return rest && rest < 0 !== b < 0 ? rest + b : rest;
  },
};

/** @type {Record<string, (a: bigint, b: bigint) => bigint>} */
export const LARGE = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => (a % b && a < 0n !== b < 0n ? a / b - 1n : a / b),
  mod: (a, b) => (a % b && a < 0n !== b < 0n ? (a % b) + b : a % b),
};

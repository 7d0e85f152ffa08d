// @ts-check
// Moves in words, by the table beside the rules. After kemu/findings/phrases.py.

import { parse } from "./machine.js";
import { listed } from "./position.js";

const VARIABLE = /^[A-Z]{2,}$/;

/** What is said of a move, or of an outcome at a place with this label; "" if nothing is.
 *  @param {string[][]} rows @param {string} label @param {string} text */
export const said = (rows, label, text) => phrase(rows, label ? `${label}: ` : "", text) ?? "";

/** @param {string[][]} rows @param {string} head @param {string} text @returns {string | null} */
function phrase(rows, head, text) {
  for (const [pattern, words] of rows) {
    const bound = pattern.startsWith(head) ? bind(pattern.slice(head.length), text) : null;
    if (bound) {
      return words.replace(/[A-Z]{2,}/g, (name) => listed((bound.get(name) ?? []).map((each) => value(rows, name, each))) ?? "");
    }
  }
  return null;
}

/** @param {string[][]} rows @param {string} variable @param {string} text */
function value(rows, variable, text) {
  const found = phrase(rows, `${variable}: `, text);
  if (found !== null) return found;
  const plain = text.replaceAll("_", " ");
  if (variable !== "NAME" || !/^[\p{L} ]+$/u.test(plain) || !plain.trim()) return plain;
  return plain.replace(/\p{L}+/gu, (word) => word[0].toUpperCase() + word.slice(1).toLowerCase());
}

/** What stands for the variables of a pattern in a text; null if the text has not its form.
 *  @param {string} pattern @param {string} text @returns {Map<string, string[]> | null} */
function bind(pattern, text) {
  if (VARIABLE.test(pattern)) return new Map([[pattern, [text]]]);
  const inner = pattern.slice(1, -1);
  if (pattern.startsWith("{") && VARIABLE.test(inner)) {
    return text.startsWith("{") ? new Map([[inner, parse(`set(${text.slice(1, -1)})`).args]]) : null;
  }
  const [mine, theirs] = [pattern, text].map((each) => parse(each.startsWith("(") ? `pair${each}` : each));
  if (mine.name !== theirs.name || mine.args.length !== theirs.args.length) return null;
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const [at, one] of mine.args.entries()) {
    const part = bind(one, theirs.args[at]);
    if (!part) return null;
    for (const [name, texts] of part) found.set(name, texts);
  }
  return found;
}

// @ts-check
// What a game's views show in a position: glyphs at places, lines, figures; and how values are written. After
// kemu_engine/play/view.py and masked_view.py: a page has the views of whoever sits before it.

import { elements } from "./values.js";

const HUNDRED = 100;
const TAU = 2 * Math.PI;

/** @typedef {{element: string, domain: string, x: number, y: number, glyph: string, owner: () => string | null, fixed: boolean}} Mark */
/** @typedef {{shape: string, element: string, domain: string, points: number[][], fill: string, edge: string,
 *    size: number[], turn: number, laid: string, count: number, text: string, owner: string}} Figure */
/** @typedef {{name: string, ground: string, marks: Mark[], lines: string[], figures: Figure[]}} Picture */

export class Views {
  /** @param {import("./machine.js").Machine} machine */
  constructor(machine) {
    this.machine = machine;
    this.reader = machine.reader;
  }

  /** All pictures of a stop. @param {any[]} views @param {import("./machine.js").Stop} stop @returns {Picture[]} */
  pictures(views, stop) {
    this.machine.stand(stop);
    return views.map(([name, ground, spots, lines, figures]) => ({
      name,
      ground,
      marks: spots.filter((/** @type {any} */ each) => this.value(each[2])).map((/** @type {any} */ each) => this.mark(each)),
      lines: lines.filter((/** @type {any[]} */ [when, , block]) => (block === -1 || block === stop.block) && this.value(when))
        .map((/** @type {any[]} */ [, parts]) => this.written(parts)),
      figures: figures.filter((/** @type {any} */ each) => this.value(each[3])).map((/** @type {any} */ each) => this.figure(each)),
    }));
  }

  /** @param {number} node */
  value(node) {
    return this.reader.expr(node)();
  }

  /** @param {number} node */
  number(node) {
    return Number(this.value(node));
  }

  /** @param {any} spot @returns {Mark} */
  mark([element, domain, when, x, y, glyph, texts, reads]) {
    const fixed = [when, x, y, glyph].every((node) => this.machine.data.nodes[node][0] === "const");
    return {
      element,
      domain,
      x: this.number(x),
      y: this.number(y),
      glyph: this.machine.texts(texts)[this.number(glyph)],
      owner: () => this.owner(reads),
      fixed,
    };
  }

  /** The one player to whom all belongs that is read. @param {any[]} reads */
  owner(reads) {
    const found = new Set(reads.map((read) => this.named(read)).filter((each) => each !== null));
    return found.size === 1 ? [...found][0] : null;
  }

  /** @param {any} read @returns {string | null} */
  named([node, at, index, low]) {
    const [, , , , labels, list] = this.machine.data.vars[at];
    let [value, place] = [0, ""];
    try {
      value = this.number(node);
      if (index >= 0) place = this.machine.texts(labels)[this.number(index)] ?? "";
    } catch {
      return null;
    }
    const text = this.machine.texts(list)[value - low] ?? "";
    return this.one(text) ?? (value && text !== "none" ? this.one(place) : null);
  }

  /** @param {string} text */
  one(text) {
    const found = new Set((text.match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => this.machine.players.includes(word)));
    return found.size === 1 ? [...found][0] : null;
  }

  /** @param {any} figure @returns {Figure} */
  figure([shape, element, domain, , points, fill, edge, size, turn, laid, count, parts, owner]) {
    const [part, whole] = turn === null ? [0, 0] : turn.map((/** @type {number} */ node) => this.number(node));
    return {
      shape,
      element,
      domain,
      points: points.map((/** @type {any} */ each) => this.point(each)),
      fill: this.name(fill),
      edge: this.name(edge),
      size: size.map((/** @type {number} */ node) => this.number(node) / HUNDRED),
      turn: whole ? (360 * part) / whole : 0,
      laid,
      count: this.number(count),
      text: this.written(parts).trim(),
      owner,
    };
  }

  /** Column, row, and steps away from there. @param {any} point @returns {number[]} */
  point([x, y, steps]) {
    let [right, down] = [0, 0];
    for (const step of steps) {
      const [first, ...others] = step.map((/** @type {number} */ node) => this.number(node));
      if (others.length === 1) {
        right += first / HUNDRED;
        down += others[0] / HUNDRED;
      } else if (others[1]) {
        const angle = (TAU * others[0]) / others[1];
        right += (first / HUNDRED) * Math.sin(angle);
        down -= (first / HUNDRED) * Math.cos(angle);
      }
    }
    return [this.number(x), this.number(y), right, down];
  }

  /** @param {[number, number] | null} named */
  name(named) {
    return named === null ? "" : this.machine.texts(named[1])[this.number(named[0])];
  }

  /** The text that pieces make. @param {any[]} parts */
  written(parts) {
    return parts.map((part) => (typeof part === "string" ? part : this.text(part))).join("");
  }

  /** @param {[number, number, number]} piece */
  text([node, list, low]) {
    const [value, form, texts] = [this.value(node), this.reader.form(node), this.machine.texts(list)];
    if (form === "b") return texts.length ? texts[Number(value)] : String(Boolean(value));
    if (form === "s" || form === "S") {
      return `{${elements(value).map((each) => (texts.length ? texts[each] : each)).join(", ")}}`;
    }
    return texts.length ? texts[Number(value) - Number(low)] : String(value);
  }
}

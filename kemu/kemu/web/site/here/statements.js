// @ts-check
// The kernel's statements as functions that work on a reader's frame (kernel.js reads expressions). Each says what
// becomes of those after it.

import { Snapshots } from "./values.js";

/** @typedef {import("./kernel.js").Reader} Reader */
/** @typedef {import("./values.js").Form} Form */

const NEXT = 0, BREAK = 1, CONTINUE = 2;
export const RETURN = 3;

/** Statements, one after the other. @param {Reader} reader @param {any[]} code @param {Form} returned the form of what is returned @returns {() => number} */
export function sequence(reader, code, returned) {
  const statements = code.map((each) => statement(reader, each, returned));
  if (statements.length === 1) return statements[0];
  return () => {
    for (const each of statements) {
      const signal = each();
      if (signal) return signal;
    }
    return NEXT;
  };
}

/** @param {Reader} reader @param {any} told @param {Form} returned @returns {() => number} */
function statement(reader, told, returned) {
  const f = reader.frame;
  const [tag, first, ...rest] = told;
  switch (tag) {
    case "assign": {
      const value = reader.given(first, rest[0]);
      return () => {
        f.locals[first] = value();
        return NEXT;
      };
    }
    case "store": {
      const value = written(reader, first, rest[0]);
      return () => {
        f.vars[first] = value();
        return NEXT;
      };
    }
    case "put": {
      const [index, value] = [reader.as(rest[0], "n"), written(reader, first, rest[1])];
      return () => {
        const [at, cell] = [index(), value()];
        if (!f.own[first]) {
          f.vars[first] = f.vars[first].slice();
          f.own[first] = true;
        }
        f.vars[first][at] = cell;
        return NEXT;
      };
    }
    case "fill": {
      const [bind, value, length] = [reader.binder(rest[0]), written(reader, first, rest[1]), reader.data.vars[first][2]];
      return () => {
        const made = [];
        for (let at = 0; at < length; at += 1) {
          bind(at);
          made.push(value());
        }
        f.vars[first] = made;
        f.own[first] = true;
        return NEXT;
      };
    }
    case "note":
      return () => {
        f.vars[first] = f.vars[first].with(reader.snapshot(first));
        return NEXT;
      };
    case "forget":
      return () => {
        f.vars[first] = new Snapshots();
        return NEXT;
      };
    case "when": {
      const test = reader.expr(first);
      const [then, other] = rest.map((/** @type {any} */ code) => sequence(reader, code, returned));
      return () => (test() ? then() : other());
    }
    case "for": {
      const [over, bind] = [reader.elements(rest[0]), reader.binder(first)];
      const body = sequence(reader, rest[1], returned);
      return () => {
        for (const element of over()) {
          bind(element);
          const signal = body();
          if (signal === BREAK) break;
          if (signal === RETURN) return signal;
        }
        return NEXT;
      };
    }
    case "loop": {
      const body = sequence(reader, rest[0], returned);
      const fail = reader.failing(rest[1]);
      return () => {
        for (let lap = 0; lap < first; lap += 1) {
          const signal = body();
          if (signal === BREAK) return NEXT;
          if (signal === RETURN) return signal;
        }
        return fail();
      };
    }
    case "break":
      return () => BREAK;
    case "continue":
      return () => CONTINUE;
    case "return": {
      const value = reader.as(first, returned);
      return () => {
        f.returned = value();
        return RETURN;
      };
    }
    case "check": {
      const [test, fail] = [reader.expr(first), reader.failing(rest[0])];
      return () => (test() ? NEXT : fail());
    }
    default:
      throw new Error(`the page does not know ${tag}`);
  }
}

/** The value of a node, as a state variable keeps it: truth as 0 or 1. @param {Reader} reader @param {number} at @param {number} node */
function written(reader, at, node) {
  const form = reader.data.vars[at][1];
  const value = reader.as(node, form);
  return form === "b" ? () => Number(value()) : value;
}

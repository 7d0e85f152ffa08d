// @ts-check
// The kernel, read in the page: from a program as web/program.py writes it to functions without arguments that work
// on one frame. What a node means is said by the interpreter (kemu_engine/interp), case by case as here.
//
// Wherever a value goes from a node to another or to a variable it takes on the form that is wanted.

import { RETURN, sequence } from "./statements.js";
import { Fault, LARGE, NUMBERS, Snapshots, bit, converted, elements, parsed, size } from "./values.js";

/** @typedef {import("./values.js").Form} Form */
/** @typedef {() => any} Get */

/** Compiles the nodes of one program, each once. */
export class Reader {
  /** @param {any} data a program */
  constructor(data) {
    this.data = data;
    /** What the functions work on: state variables, locals, which arrays are the frame's own, a returned value. */
    this.frame = { vars: /** @type {any[]} */ ([]), locals: /** @type {any[]} */ ([]), own: /** @type {boolean[]} */ ([]), returned: /** @type {any} */ (0) };
    /** @type {Get[]} */
    this.known = [];
    /** @type {Get[]} */
    this.functions = [];
    /** @type {Map<string, any[]>} */
    this.tables = new Map();
    /** Locals without a value. @type {any[]} */
    this.unset = [...data.locals].map((each) => parsed(0, /** @type {Form} */ (each)));
    /** As a game begins. @type {any[]} */
    this.initial = data.vars.map((/** @type {any} */ [, form, length, initial]) => {
      if (form === "h") return new Snapshots();
      if (length === null) return parsed(initial, form);
      return initial.all === undefined
        ? initial.map((/** @type {any} */ each) => parsed(each, form))
        : new Array(length).fill(parsed(initial.all, form));
    });
  }

  /** @param {any[]} vars @param {any[]} locals */
  enter(vars, locals) {
    Object.assign(this.frame, { vars: vars.slice(), locals, own: [] });
  }

  /** @param {number} node @returns {Form} */
  form(node) {
    return this.data.nodes[node][1];
  }

  /** @param {number} node @returns {Get} */
  expr(node) {
    return (this.known[node] ??= this.made(this.data.nodes[node]));
  }

  /** @param {number} node @param {Form} form */
  as(node, form) {
    return converted(this.expr(node), this.form(node), form);
  }

  /** Elements of a set, ascending. @param {number} node @returns {() => number[]} */
  elements(node) {
    const mask = this.expr(node);
    if (this.data.nodes[node][0] !== "const") return () => elements(mask());
    const fixed = elements(mask());
    return () => fixed;
  }

  /** @param {any} node @returns {Get} */
  made(node) {
    const f = this.frame;
    const [tag, form, ...rest] = node;
    switch (tag) {
      case "const": {
        const value = parsed(rest[0], form);
        return () => value;
      }
      case "local": {
        const [local] = rest;
        return converted(() => f.locals[local], this.data.locals[local], form);
      }
      case "load": {
        const [at] = rest;
        return converted(() => f.vars[at], this.data.vars[at][1], form);
      }
      case "at": {
        const [at, index] = [rest[0], this.as(rest[1], "n")];
        return converted(() => f.vars[at][index()], this.data.vars[at][1], form);
      }
      case "times": {
        const [at] = rest;
        return converted(() => f.vars[at].times(this.snapshot(at)), "n", form);
      }
      case "lookup": {
        const [values, index] = [this.table(rest[0], form), this.as(rest[1], "n")];
        return () => values[index()];
      }
      case "if": {
        const [test, then, other] = [this.expr(rest[0]), this.as(rest[1], form), this.as(rest[2], form)];
        return () => (test() ? then() : other());
      }
      case "let": {
        const [local, value, body] = [rest[0], this.given(rest[0], rest[1]), this.as(rest[2], form)];
        return () => {
          f.locals[local] = value();
          return body();
        };
      }
      case "need": {
        const [test, value, fail] = [this.expr(rest[0]), this.as(rest[1], form), this.failing(rest[2])];
        return () => (test() ? value() : fail());
      }
      case "call":
        return this.call(form, rest);
      case "fold":
        return this.fold(form, rest);
      case "closure":
        return this.closure(form, rest);
      case "trial":
        return this.trial(rest);
      default:
        return this.operation(tag, form, rest);
    }
  }

  /** The value of a node, in the form of a local. @param {number} local @param {number} node */
  given(local, node) {
    return this.as(node, this.data.locals[local]);
  }

  /** Gives a local an element. @param {number} local @returns {(element: number) => void} */
  binder(local) {
    const f = this.frame;
    if (this.data.locals[local] !== "N") return (element) => { f.locals[local] = element; };
    return (element) => { f.locals[local] = BigInt(element); };
  }

  /** @param {number} table @param {Form} form */
  table(table, form) {
    const key = `${table} ${form}`;
    if (!this.tables.has(key)) {
      this.tables.set(key, this.data.tables[table].map((/** @type {any} */ each) => parsed(each, form)));
    }
    return /** @type {any[]} */ (this.tables.get(key));
  }

  /** @param {number} fault @returns {() => never} */
  failing(fault) {
    const message = this.data.faults[fault];
    return () => {
      throw new Fault(message);
    };
  }

  /** The present values of the variables of a history. @param {number} history */
  snapshot(history) {
    return this.data.vars[history][9].map((/** @type {number} */ at) => {
      const cells = this.frame.vars[at];
      return Array.isArray(cells) ? cells.slice() : cells;
    });
  }

  /** @param {string} op @param {Form} form @param {number[]} nodes @returns {Get} */
  operation(op, form, nodes) {
    const args = nodes.map((node) => this.expr(node));
    const forms = nodes.map((node) => this.form(node));
    const [a, b] = args;
    switch (op) {
      case "eq":
        return () => a() == b(); // truth is kept as a number, too, and large numbers beside small ones
      case "ne":
        return () => a() != b();
      case "lt":
        return () => a() < b();
      case "le":
        return () => a() <= b();
      case "not":
        return () => !a();
      case "and":
        return () => args.every((each) => each());
      case "or":
        return () => args.some((each) => each());
      case "min":
      case "max": {
        const [one, other] = nodes.map((node) => this.as(node, forms.includes("N") ? "N" : "n"));
        const less = op === "min";
        const got = () => {
          const [x, y] = [one(), other()];
          return y < x === less ? y : x;
        };
        return converted(got, forms.includes("N") ? "N" : "n", form);
      }
      case "in": {
        const [element, inside] = [this.as(nodes[0], "n"), forms[1]];
        if (inside === "s") {
          return () => {
            const at = element();
            return at >= 0 && at < 31 && (b() & (1 << at)) !== 0;
          };
        }
        return () => {
          const at = element();
          return at >= 0 && (b() & bit(at)) !== 0n;
        };
      }
      case "single": {
        const element = this.as(nodes[0], "n");
        return form === "s" ? () => 1 << element() : () => bit(element());
      }
      case "card":
        return converted(() => size(a()), "n", form);
      case "neg":
      case "abs": {
        const kept = form === "N" || forms[0] === "N" ? "N" : "n";
        const value = this.as(nodes[0], kept);
        return converted(op === "neg" ? () => -value() : () => {
          const x = value();
          return x < 0 ? -x : x;
        }, kept, form);
      }
      case "union":
      case "inter":
      case "diff":
      case "subset": {
        const kept = forms.includes("S") ? "S" : "s";
        const [one, other] = nodes.map((node) => this.as(node, kept));
        if (op === "subset") return () => !(one() & ~other());
        const got = { union: () => one() | other(), inter: () => one() & other(), diff: () => one() & ~other() }[op];
        return converted(got, kept, form);
      }
      default: {
        const kept = form === "N" || forms.includes("N") ? "N" : "n";
        const [one, other] = nodes.map((node) => this.as(node, kept));
        const does = (kept === "N" ? LARGE : NUMBERS)[op];
        if (!does) throw new Error(`the page does not know ${op}`);
        return converted(() => does(one(), other()), kept, form);
      }
    }
  }

  /** @param {Form} form @param {any[]} rest @returns {Get} */
  fold(form, rest) {
    const [op, local, , where, body, low] = rest;
    const bind = this.binder(local);
    const over = this.elements(rest[2]);
    const test = this.expr(where);
    /** @type {Form} */
    const kept = op === "set" ? "n" : ["any", "all", "count", "first"].includes(op) ? "b" : form;
    const value = this.as(body, kept);
    /** Goes on as long as it is told to. @param {(value: any, element: number) => boolean | void} does */
    const each = (does) => {
      for (const element of over()) {
        bind(element);
        if (test() && does(value(), element) === false) return false;
      }
      return true;
    };
    switch (op) {
      case "any":
        return () => !each((got) => !got);
      case "all":
        return () => each((got) => !!got);
      case "first":
        return converted(() => {
          let found = -1;
          each((got, element) => {
            if (got) found = element;
            return !got;
          });
          return found;
        }, "n", form);
      case "count":
        return converted(() => {
          let found = 0;
          each((got) => {
            if (got) found += 1;
          });
          return found;
        }, "n", form);
      case "set":
        return () => {
          let found = parsed(0, form);
          each((got) => {
            found = form === "s" ? Number(found) | (1 << got) : BigInt(found) | bit(got);
          });
          return found;
        };
      case "sum":
      case "union":
        return () => {
          /** @type {any} */
          let found = parsed(0, form);
          each((got) => {
            found = op === "sum" ? found + got : found | got;
          });
          return found;
        };
      default: {
        const none = parsed(low, form);
        return () => {
          /** @type {any} */
          let found = null;
          each((got) => {
            if (found === null || (op === "min" ? got < found : got > found)) found = got;
          });
          return found ?? none;
        };
      }
    }
  }

  /** @param {Form} form @param {any[]} rest @returns {Get} */
  closure(form, rest) {
    const [seed, bind, step] = [this.as(rest[0], form), this.binder(rest[1]), this.as(rest[2], form)];
    return () => {
      let reached = seed();
      const waiting = elements(reached);
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        bind(next);
        const fresh = step() & ~reached;
        reached |= fresh;
        waiting.push(...elements(fresh));
      }
      return reached;
    };
  }

  /** @param {Form} form @param {number[]} rest @returns {Get} */
  call(form, [number, ...nodes]) {
    const f = this.frame;
    const [params, given] = this.data.functions[number];
    const args = nodes.map((node, at) => this.given(params[at], node));
    const body = this.function(number);
    const called = () => {
      const values = args.map((each) => each());
      values.forEach((value, at) => {
        f.locals[params[at]] = value;
      });
      return body();
    };
    return converted(called, given, form);
  }

  /** @param {number} number @returns {Get} */
  function(number) {
    if (!this.functions[number]) {
      const [, form, code] = this.data.functions[number];
      const run = sequence(this, code, form);
      this.functions[number] = () => {
        if (run() !== RETURN) throw new Error("a function ends without a value");
        return this.frame.returned;
      };
    }
    return this.functions[number];
  }

  /** @param {any[]} rest @returns {Get} */
  trial([code, test]) {
    const f = this.frame;
    const [body, holds] = [sequence(this, code, "n"), this.expr(test)];
    return () => {
      const { vars, locals, own } = f;
      Object.assign(f, { vars: vars.slice(), locals: locals.slice(), own: [] });
      try {
        body();
        return holds();
      } finally {
        Object.assign(f, { vars, locals, own });
      }
    };
  }
}

// @ts-check
// A tree that grows in the memory of the compiled module. After kemu_engine/run/wasm/programs/searcher.py.

import { best } from "./thought.js";

const AT_ONCE = 32; // games at first, before it is looked how long they take
const CALL = 20; // milliseconds that a call should take
const SURELY = 1e30; // what a way is worth that the next game is to go
const [ONWARD, SURE] = [6, 16]; // actions of a turn that are told after the first; games in which one must have been tried for it

/** @typedef {import("./search.js").Job} Job */

export class Tree {
  games = 0; // how many were played

  /** @param {any} module what the module exports @param {Job} job */
  constructor(module, job) {
    this.module = module;
    this.job = job;
    const { writes, stop } = job;
    for (const [address, data] of writes) new Uint8Array(module.memory.buffer, address, data.length).set(data);
    this.stands = module.begin(stop) >= 0; // whether the rules do not break down there
  }

  get view() {
    return new DataView(this.module.memory.buffer); // anew: memory may have grown
  }

  /** Plays on until there are so many games, or until that time. @param {number} most @param {number} until of
   *  performance.now() @returns {boolean} false if all is proved */
  grow(most, until) {
    for (let once = AT_ONCE; this.games < most;) {
      const began = performance.now();
      if (began >= until) break;
      const wanted = Math.min(once, most - this.games);
      const played = this.play(wanted);
      if (played < wanted) return false;
      const aim = Math.min(CALL, Math.max(0.5, (until - performance.now()) / 2));
      once = Math.max(1, Math.floor(Math.min(2 * once, (wanted * aim) / Math.max(performance.now() - began, 1e-3))));
    }
    return true;
  }

  /** @param {number} games */
  play(games) {
    const played = this.module.search(BigInt(games), BigInt(this.job.longest));
    this.games += played;
    return played;
  }

  /** What it says. */
  thought() {
    return { branches: this.children(this.job.root).map((node) => this.told(node)), games: this.games };
  }

  /** Replies of the other player to a choice that no game has tried; none where nothing can be proved of them.
   *  @param {number} number */
  untried(number) {
    const { job, view } = this;
    const node = this.children(job.root)[number];
    const actor = this.actor(node);
    if (!job.solving || actor === -1 || actor === this.actor(job.root)) return [];
    return this.children(node).flatMap((reply, at) => (view.getInt32(reply + job.at, true) ? [] : [at]));
  }

  /** One more game, by this choice and this reply, if it is not proved what the choice is worth. @param {number} number
   *  @param {number} reply */
  through(number, reply) {
    const { root, hot } = this.job;
    const node = this.children(root)[number];
    const { low, high } = this.told(node);
    if (low === high) return;
    for (const [parent, child] of [[root, number], [node, reply]]) {
      this.view.setFloat32(this.view.getInt32(parent, true) + hot * child, SURELY, true);
    }
    this.play(1);
  }

  /** How whoever acts at the root would go on after a choice. @param {number} number */
  onward(number) {
    const found = [];
    let node = this.children(this.job.root)[number];
    for (let kids = this.children(node); kids.length && found.length < ONWARD; kids = this.children(node)) {
      if (this.actor(node) !== this.actor(this.job.root)) break;
      const branches = kids.map((kid) => this.told(kid));
      const next = best({ branches });
      const { visits, low, high } = branches[next];
      if (visits < SURE && low !== high) break;
      found.push(next);
      node = kids[next];
    }
    return found;
  }

  /** @param {number} node */
  children(node) {
    const { hot, cold } = this.job;
    const [first, count] = [this.view.getInt32(node, true), this.view.getInt32(node + 4, true)];
    return Array.from({ length: first ? count : 0 }, (_, number) => first + hot * count + number * cold);
  }

  /** Who acts there. @param {number} node */
  actor(node) {
    return this.view.getInt32(node + this.job.actor, true);
  }

  /** What is known of a node. @param {number} node */
  told(node) {
    const { at, second } = this.job;
    const visits = this.view.getInt32(node + at, true);
    const [total, least, most] = [16, 24, 32].map((more) => this.view.getFloat64(node + at + more, true));
    const [low, high] = second ? [1 - most, 1 - least] : [least, most];
    return { visits, value: low === high ? low : visits ? total / visits : 0.5, low, high };
  }
}

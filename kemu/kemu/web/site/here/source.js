// @ts-check
// Where a game's positions come from in an exported page: from the rules, in the page itself. The same messages as
// from a server (kemu/web/README.md).

import { Machine } from "./here/machine.js";
import { Views } from "./here/picture.js";
import { hints, job, turn } from "./here/search.js";
import { Session } from "./here/session.js";
import { best } from "./here/thought.js";

const KEPT = "kemu-table:"; // before the name of a table, in what the browser keeps
const MOST_KEPT = 32;

/** A file of the site that was packed. @param {string} name @returns {Promise<Response>} */
async function unpacked(name) {
  let found;
  try {
    found = await fetch(name);
  } catch {
    throw new Error("The game cannot be loaded: there is no network, and it was not here before.");
  }
  if (!found.ok || !found.body) throw new Error(`The game cannot be loaded: ${name} is missing on the server.`);
  return new Response(found.body.pipeThrough(new DecompressionStream("gzip")));
}

/** The rules of an instance, and who thinks about it. */
class Instance {
  /** @param {any} about @param {any} data */
  constructor(about, data) {
    this.about = about;
    this.data = data;
    this.machine = new Machine(data);
    this.views = new Views(this.machine);
    /** @type {Promise<Worker> | null} */
    this.thinker = null;
  }

  async worker() {
    const worker = new Worker("here/worker.js", { type: "module" });
    const binary = await (await unpacked(this.about.search)).arrayBuffer();
    worker.postMessage({ binary }, [binary]);
    return worker;
  }

  /** What a search finds out; null if it cannot. @param {import("./here/machine.js").Stop} stop
   *  @param {{seed: number, number: number, games?: number, seconds?: number}} asked
   *  @returns {Promise<import("./here/thought.js").Thought | null>} */
  async think(stop, asked) {
    const worker = await (this.thinker ??= this.worker());
    const wanted = job(this.machine, this.data.layout, stop, asked);
    return new Promise((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = () => {
        this.thinker = null;
        done(null);
      };
      worker.postMessage({ job: wanted });
    });
  }
}

class Here {
  constructor() {
    /** @type {Promise<any> | null} */
    this.game = null;
    /** @type {Map<string, Promise<Instance>>} */
    this.instances = new Map();
    /** @type {Map<string, Session>} */
    this.tables = new Map();
  }

  /** What there is to play. @returns {Promise<any>} */
  about() {
    return (this.game ??= fetch("game.json").then((found) => found.json()));
  }

  /** Colours and symbols. @returns {Promise<any>} */
  async drawing() {
    return (await fetch("drawing.json")).json();
  }

  /** @param {string} what @param {any} message @returns {Promise<any>} */
  async ask(what, message = {}) {
    const game = await this.about();
    switch (what) {
      case "games":
        return { games: [game.name], chosen: game.name };
      case "about":
        return game;
      case "table": {
        const { players, kinds, note } = this.chosen(game, message.settings);
        return { players, kinds, note };
      }
      case "new":
        return this.begun(game, message);
      case "load":
        return this.sat(game, await this.loaded(game, message.saved));
    }
    const table = await this.at(game, message.table);
    const answer = await this.done(game, table, what, message);
    this.keep(game, message.table, table);
    return answer;
  }

  /** @param {any} game @param {Record<string, string>} settings */
  chosen(game, settings = {}) {
    const players = settings.players || game.usual;
    return game.instances.find((/** @type {any} */ each) => String(each.players.length) === players) ?? game.instances[0];
  }

  /** @param {any} about @returns {Promise<Instance>} */
  instance(about) {
    const found = this.instances.get(about.program) ?? unpacked(about.program)
      .then((packed) => packed.json()).then((data) => new Instance(about, data));
    this.instances.set(about.program, found);
    found.catch(() => this.instances.delete(about.program));
    return found;
  }

  /** @param {any} game @param {any} message */
  async begun(game, { settings, seats, seed }) {
    const about = this.chosen(game, settings);
    const sitting = seats ?? Object.fromEntries(about.players.map((/** @type {string} */ player, /** @type {number} */ at) => [player, at ? "random" : "human"]));
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    return this.sat(game, new Session(await this.instance(about), sitting, seed ?? drawn, game.phrases));
  }

  /** A saved game goes on. @param {any} game @param {string} text */
  async loaded(game, text) {
    let kept;
    try {
      kept = JSON.parse(text);
    } catch {
      throw new Error("this file is not JSON");
    }
    if (kept?.format !== "kemu-record" || !Array.isArray(kept.steps)) throw new Error("this file is not a record of a game");
    if (kept.game !== game.title) throw new Error(`this is a record of ${kept.game}, not of ${game.title}`);
    const about = game.instances.find((/** @type {any} */ each) => each.hash === kept.program);
    if (!about) throw new Error(`this record of ${game.title} was played with other players or options, or other rules, than this page has`);
    if (kept.start) throw new Error("this record begins in the middle of a game, which this page cannot");
    const instance = await this.instance(about);
    const usual = Object.fromEntries(about.players.map((/** @type {string} */ player, /** @type {number} */ at) => [player, at ? "random" : "human"]));
    const known = about.players.every((/** @type {string} */ player) => about.kinds.includes(kept.seats?.[player]));
    const session = new Session(instance, known ? kept.seats : usual, kept.seed ?? 0, game.phrases);
    kept.steps.forEach((/** @type {any} */ step, /** @type {number} */ number) => {
      const index = session.machine.index(session.stop, String(step.text));
      if (index < 0 || (step.actor ?? "") !== session.actor) throw new Error(`this saved game cannot be resumed: step ${number + 1}, ${step.text}, is not possible`);
      session.apply(index);
    });
    return session;
  }

  /** @param {any} game @param {Session} table */
  sat(game, table) {
    const name = [...crypto.getRandomValues(new Uint8Array(12))].map((each) => each.toString(36).padStart(2, "0")).join("");
    this.tables.set(name, table);
    this.keep(game, name, table);
    return { table: name, ...table.message() };
  }

  /** The game at a table; one that the browser kept goes on. @param {any} game @param {string} name */
  async at(game, name) {
    const kept = localStorage.getItem(KEPT + name);
    if (!this.tables.has(name) && kept) this.tables.set(name, await this.loaded(game, kept));
    const found = this.tables.get(name);
    if (!found) throw new Error("this game is not here any more: begin a new one, or load a saved one");
    return found;
  }

  /** Keeps a game in the browser, so that it is there after the page is opened again.
   *  @param {any} game @param {string} name @param {Session} table */
  keep(game, name, table) {
    try {
      localStorage.removeItem(KEPT + name);
      const others = Object.keys(localStorage).filter((key) => key.startsWith(KEPT));
      for (const key of others.slice(0, Math.max(0, others.length - MOST_KEPT + 1))) localStorage.removeItem(key);
      localStorage.setItem(KEPT + name, this.saved(game, table));
    } catch {
      // where nothing can be kept the game goes on all the same
    }
  }

  /** @param {any} game @param {Session} table */
  saved(game, table) {
    const { data, about } = table.instance;
    const record = {
      format: "kemu-record", version: 1, game: game.title, settings: data.settings, players: about.players, program: about.hash,
      start: null, steps: table.steps, note: "", language: game.language, rules: game.name, seats: table.seats, seed: table.seed,
    };
    return `${JSON.stringify(record, null, 2)}\n`;
  }

  /** @param {any} game @param {Session} table @param {string} what @param {any} message */
  async done(game, table, what, message) {
    switch (what) {
      case "look":
        break;
      case "act": {
        if (!table.waits) throw new Error("it is not for you to decide now");
        if (message.step !== table.steps.length) throw new Error("the game has gone on meanwhile");
        const index = table.machine.index(table.stop, String(message.action));
        if (index < 0) throw new Error(`${message.action} is not possible now`);
        table.apply(index);
        break;
      }
      case "go":
        await this.go(table);
        break;
      case "undo":
        table.undo();
        break;
      case "sit":
        if (!table.handsOver || message.player !== table.handsOver) throw new Error("nobody is waited for");
        table.viewer = table.handsOver;
        break;
      case "hint":
        return { hints: await this.hints(table) };
      case "why":
        if (message.at === undefined && !table.waits) throw new Error("it is not for you to decide now");
        return table.why(message.at);
      case "save":
        if (table.secrets && !table.over) {
          throw new Error("this game has secrets, and a saved game holds them all: it can be saved at its end");
        }
        return { saved: this.saved(game, table) };
      default:
        throw new Error(`nobody here knows how to ${what}`);
    }
    return table.message();
  }

  /** Chance, and the next step of a bot. @param {Session} table */
  async go(table) {
    while (!table.over && !table.decides) {
      const bot = table.actor;
      table.apply(bot ? await this.move(table, table.seats[bot]) : table.drawn());
      if (bot) return;
    }
  }

  /** What a bot does. @param {Session} table @param {string} kind @returns {Promise<number>} */
  async move(table, kind) {
    const [, number, seconds] = /^mcts:(\d+)(s?)$/.exec(kind) ?? [];
    if (!number || table.stop.choices.length === 1) return table.drawn();
    const asked = { seed: table.seed, number: table.steps.length, [seconds ? "seconds" : "games"]: Number(number) };
    const thought = await table.instance.think(table.stop, asked);
    return thought ? best(thought) : table.drawn();
  }

  /** @param {Session} table */
  async hints(table) {
    if (!table.waits) throw new Error("it is not for you to decide now");
    const moves = table.machine.moves(table.stop);
    if (moves.length === 1) return [`${moves[0].text} is all that can be done.`];
    const thought = table.instance.about.search
      ? await table.instance.think(table.stop, { seed: 0, number: table.steps.length, seconds: 1 }) : null;
    if (!thought) throw new Error("there is nobody here who thinks about this game: `kemu table` has a hint");
    const onward = (/** @type {{onward?: number[]}} */ branch, /** @type {number} */ at) =>
      turn(table.machine, table.stop, [at, ...(branch.onward ?? [])]).join(", then ");
    return hints(thought, thought.branches.map(onward), table.instance.data.layout.worth);
  }
}

export const source = new Here();
if ("serviceWorker" in navigator) navigator.serviceWorker.register("service-worker.js").catch(() => {});

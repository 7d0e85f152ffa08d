// @ts-check
// A table over a network: what happens there comes by itself, and comes again after the connection was lost.
// Wraps a source (source.js); at a table on this machine it does nothing.

import { $, button, make, plain } from "./dom.js";

const SOON = 1000; // milliseconds until it is tried again; doubled each time
const LATEST = 15000;
const SILENCE = 40000; // milliseconds after which a connection is thought to be lost; the server says something in 15
const LOST = "Connection lost. Trying again …";

const pause = (/** @type {number} */ time) => new Promise((done) => setTimeout(done, time));

/** A secret that only this page knows: 128 random bits. */
function secret() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What was, with what has changed (kemu/web/changes.py). @param {any} old @param {any} change @returns {any} */
export function changed(old, change) {
  if ("to" in change) return change.to;
  if ("items" in change) return old.map((/** @type {any} */ each, /** @type {number} */ at) => changed(each, change.items[at] ?? {}));
  if ("cuts" in change) {
    let last = 0;
    const made = [];
    for (const [at, drop, put] of change.cuts) {
      made.push(...old.slice(last, at), ...put);
      last = at + drop;
    }
    return [...made, ...old.slice(last)];
  }
  if (!("keys" in change || "gone" in change)) return old;
  const made = { ...old };
  for (const name of change.gone ?? []) delete made[name];
  for (const [name, each] of Object.entries(change.keys ?? {})) made[name] = changed(old[name], each);
  return made;
}

export class Together {
  /** @param {any} source @param {(position: any) => void} news what to do with a position that came by itself */
  constructor(source, news) {
    this.source = source;
    this.news = news;
    this.token = "";
    /** @type {any} */
    this.now = null;
    this.trouble = "";
    this.ended = false; // nothing more comes here: it goes on in another window
    this.loop = new AbortController(); // of what is listened to now: one table, once
    this.panel = make("div", { id: "together", hidden: true });
    $("status").after(this.panel);
  }

  drawing() {
    return this.source.drawing();
  }

  /** @param {string} what @param {any} [message] @returns {Promise<any>} */
  async ask(what, message = {}) {
    if (what === "about") this.leave();
    if (what === "act" && this.now) return this.acted(message);
    const found = await this.source.ask(what, message);
    if (what !== "look" && what !== "new" && what !== "claim") return found;
    if (!found.together) {
      if (!found.invited) this.leave();
      return found;
    }
    if (found.invitations) {
      const links = { ...found.invitations, "": found.watch };
      sessionStorage.setItem(`links ${found.table}`, JSON.stringify(links));
    }
    this.follow(found.table ?? (what === "claim" ? message.seat : message.table), found);
    return found;
  }

  leave() {
    this.loop.abort();
    this.token = "";
    this.now = null;
    this.panel.hidden = true;
  }

  /** Sends an action until it is known to be done; twice sent it is done once. @param {any} message */
  async acted(message) {
    for (let wait = SOON; ; wait = Math.min(2 * wait, LATEST)) {
      let answer;
      try {
        answer = await fetch("/do/act", {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message),
        });
      } catch {
        answer = null;
      }
      if (answer && answer.status < 500) {
        const found = await answer.json();
        if (!answer.ok) throw new Error(found.error);
        if (this.ended && this.token === message.table) this.following(this.token);
        while (this.token === message.table && this.now.step < found.done) await pause(20);
        return this.now ?? this.source.ask("look", { table: message.table });
      }
      this.told(LOST);
      await pause(wait);
      if (this.token !== message.table) throw new Error("The table was left before the action was known to be done.");
    }
  }

  /** @param {string} token @param {any} position */
  follow(token, position) {
    this.now = position;
    if (this.token === token) return;
    this.token = token;
    this.following(token);
  }

  /** @param {string} token */
  async following(token) {
    this.loop.abort();
    const loop = this.loop = new AbortController();
    this.ended = false;
    for (let wait = SOON; !loop.signal.aborted; wait = Math.min(2 * wait, LATEST)) {
      const ends = new AbortController();
      loop.signal.addEventListener("abort", () => ends.abort(), { signal: ends.signal });
      let alarm = setTimeout(() => ends.abort(), SILENCE);
      try {
        const answer = await fetch("/do/follow", {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ table: token }),
          signal: ends.signal,
        });
        if (!answer.ok || !answer.body) {
          const { error } = await answer.json();
          if (loop.signal.aborted) return;
          this.told(error);
          if (answer.status === 400) return;
        } else {
          const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
          let rest = "";
          for (;;) {
            const { value, done } = await reader.read();
            if (done || loop.signal.aborted) break;
            clearTimeout(alarm);
            alarm = setTimeout(() => ends.abort(), SILENCE);
            wait = SOON;
            const parts = (rest + value).split("\n\n");
            rest = parts.pop() ?? "";
            for (const part of parts) if (part.startsWith("data: ")) this.came(JSON.parse(part.slice(6)));
          }
        }
      } catch {
        // the connection is lost, and said to be below
      }
      clearTimeout(alarm);
      ends.abort();
      if (loop.signal.aborted || this.ended) return;
      if (!this.trouble) this.told(LOST);
      await pause(wait);
    }
  }

  /** @param {any} told */
  came(told) {
    if (told.error) {
      this.ended = Boolean(told.ended);
      this.told(told.error);
      return;
    }
    const before = this.now;
    this.now = told.whole ?? changed(this.now, told.change);
    this.trouble = "";
    const same = before && ["step", "waits", "trouble"].every((each) => before[each] === this.now[each]);
    if (same) this.show(this.now);
    else this.news(this.now);
  }

  /** @param {string} words what is wrong with the connection */
  told(words) {
    this.trouble = words;
    if (this.now) this.show(this.now);
  }

  /** Who is waited for, in words; "" at a table on this machine. @param {any} position */
  waiting(position) {
    if (!position.together) return "";
    const seat = (position.scene.seats ?? []).find((/** @type {any} */ each) => each.to_move);
    const state = seat && position.people[seat.player];
    if (!seat) return "Waiting for the others …";
    if (position.trouble) return "The game does not go on.";
    if (position.seats[seat.player] !== "human") return `${plain(seat.player)} is thinking …`;
    const more = { invited: ", who has not come yet", away: ", who is not connected" }[/** @type {string} */ (state)] ?? "";
    return `Waiting for ${plain(seat.player)}${more} …`;
  }

  /** The panel: who one is, who is there, the links for others. @param {any} position */
  show(position) {
    this.panel.hidden = !position.together;
    if (!position.together) return;
    const words = { here: "is here", away: "is not connected", invited: "has not come yet" };
    const parts = [make("p", {}, position.you ? `You are ${plain(position.you)}.` : "You watch.")];
    if (this.trouble) parts.push(make("p", { className: "lost" }, this.trouble));
    if (this.ended) parts.push(make("p", {}, button("Go on here", () => { this.trouble = ""; this.following(this.token); }, "main")));
    if (position.trouble) parts.push(make("p", { className: "lost" }, `The game does not go on: ${position.trouble}.`));
    const links = JSON.parse(sessionStorage.getItem(`links ${this.token}`) ?? "{}");
    for (const [player, state] of Object.entries(position.people)) {
      if (player === position.you) continue;
      const item = make("p", {}, `${plain(player)} ${words[/** @type {"here"} */ (state)]} `);
      if (state === "invited" && links[player]) item.append(this.copying(`Copy the link for ${plain(player)}`, links[player]));
      parts.push(item);
    }
    if (links[""]) parts.push(make("p", {}, this.copying("Copy a link to watch", links[""])));
    const focused = this.panel.contains(document.activeElement) ? document.activeElement?.textContent : "";
    this.panel.replaceChildren(...parts);
    if (focused) [...this.panel.querySelectorAll("button")].find((each) => each.textContent === focused)?.focus();
  }

  /** @param {string} words @param {string} token */
  copying(words, token) {
    const address = `${location.origin}${location.pathname}#${token}`;
    const made = button(words, async () => {
      try {
        await navigator.clipboard.writeText(address);
        made.textContent = "Copied";
      } catch {
        const field = /** @type {HTMLInputElement} */ (make("input", { value: address, readOnly: true }));
        field.setAttribute("aria-label", words);
        made.replaceWith(field);
        field.select();
      }
    }, "quiet");
    return made;
  }

  /** Asks whether the seat that one is invited to is to be taken. @param {any} found @param {string} token
   *  @param {(ask: () => Promise<any>) => void} sit */
  offer(found, token, sit) {
    const mine = secret();
    $("title").textContent = document.title = found.game;
    $("status").textContent = `You are invited to play ${plain(found.invited)}.`;
    $("menu").replaceChildren(
      make("p", {}, "Afterwards the address of this page is your seat: keep it for yourself, and to come back."),
      button("Take the seat", () => sit(async () => ({ ...await this.ask("claim", { table: token, seat: mine }), table: mine })), "main"));
    $("choose").hidden = true;
    $("play").hidden = false;
  }
}

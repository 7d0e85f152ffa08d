// @ts-check
// The page: a table, what the person can do, what happened. All it knows of the rules comes from a source
// (source.js).

import { bring, fit, shown as board } from "./board.js";
import { Choosing, WORDS } from "./choosing.js";
import { $, button, make, plain, spoken } from "./dom.js";
import { packed, unpacked } from "./links.js";
import { Picking } from "./picking.js";
import { key, looks } from "./scene.js";
import { source as own } from "./source.js";
import { Together } from "./together.js";
import { reasons } from "./why.js";

const PAUSE = 350; // milliseconds between what bots do
const PATIENCE = 400; // milliseconds until it is said what is waited for
const AT_A_TABLE = ["undo", "hint", "save", "link", "other"]; // buttons
const WHOLE = "game="; // before a whole game in the address
const source = new Together(own, news);
const choosing = new Choosing(source, attempt);

/** @type {any} */ let drawing = { symbols: {} };
/** @type {any} */ let now = null; // the position
/** @type {string} */ let table = "";
/** @type {Map<string, string>} */ let before = new Map(); // how things looked when the person last decided
/** @type {Picking} */ let picking = new Picking([], {}, []);
let busy = false;

/** @param {string} [text] */
function complain(text = "") {
  $("error").textContent = text;
  $("error").hidden = !text;
}

/** Does something that may fail; one thing after another. @param {() => Promise<void>} what
 *  @param {string} [words] what is said if it takes long */
async function attempt(what, words = "One moment …") {
  if (busy) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  const patience = setTimeout(() => { $("wait").textContent = words; }, PATIENCE);
  try {
    complain();
    await what();
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(patience);
    $("wait").textContent = "";
    busy = false;
    document.body.removeAttribute("aria-busy");
  }
}

async function choose() {
  table = "";
  history.replaceState(null, "", location.pathname);
  $("title").textContent = document.title = "Kemu";
  $("play").hidden = true;
  $("choose").hidden = false;
  for (const id of AT_A_TABLE) $(id).hidden = true;
  await choosing.open();
}

/** At a table. @param {any} position */
async function sat(position) {
  table = position.table ?? table;
  for (const id of AT_A_TABLE) $(id).hidden = false;
  history.replaceState(null, "", `#${table}`);
  $("choose").hidden = true;
  $("play").hidden = false;
  now = null;
  before = looks(position.scene.boards ?? []);
  await shown(position);
}

// ------------------------------------------------------------------------------------------------- playing

/** Shows a position, and lets the others go on until the person is to decide. @param {any} position */
async function shown(position) {
  for (;;) {
    const last = now;
    now = position;
    if (last && watched(now) && last.step < now.step) before = looks(last.scene.boards ?? []);
    if (now.log.every((/** @type {any} */ step) => !step.player)) before = looks(now.scene.boards ?? []);
    picking = new Picking(now.actions, now.parameters, now.scene.picks ?? []);
    $("hints").textContent = "";
    render();
    if (now.waits || now.over || now.hand_over || now.together) return;
    const here = table;
    await new Promise((done) => setTimeout(done, PAUSE));
    position = await source.ask("go", { table: here });
    if (here !== table) return;
  }
}

/** Whether nobody decides here: what is new is then what has changed since the last step. @param {any} position */
const watched = (position) => (position.together ? !position.you : !Object.values(position.seats).includes("human"));

/** What came by itself is shown as soon as nothing else is done. @param {any} position */
function news(position) {
  if (busy) setTimeout(() => news(position), 100);
  else if (now && source.now === position) attempt(() => shown(position));
}

/** @param {string} text */
function act(text) {
  attempt(async () => {
    const old = looks(now.scene.boards ?? []);
    const position = await source.ask("act", { table, action: text, step: now.step });
    before = old;
    await shown(position);
  }, "The others think …");
}

/** Takes what was picked; does it if that is all. @param {string} value @param {any[]} left @param {string} [key] */
function take(value, left, key = "") {
  picking.take(value, left, key);
  if (left.length === 1 && picking.whole().length === 1) act(left[0].text);
  else render();
}

function back() {
  picking.back();
  render();
}

// --------------------------------------------------------------------------------------------- the picture

function render() {
  const scene = now.scene;
  const boards = scene.boards ?? [];
  $("title").textContent = document.title = scene.game;
  const whose = now.hand_over || (scene.seats ?? []).find((/** @type {any} */ seat) => seat.player === scene.status)?.player;
  $("status").textContent = whose ? `${plain(whose)} is to decide` : plain(scene.status);
  $("players").replaceChildren(...(scene.seats ?? []).map(player));
  const notes = [...(scene.notes ?? []), ...now.facts];
  $("notes").replaceChildren(...notes.map((text) => make("li", {}, text)));
  const there = new Set(boards.flatMap((/** @type {any} */ each) => each.shapes.map(key)));
  const places = now.waits ? picking.places(there, mover()) : new Map();
  const focused = document.activeElement?.closest("[data-key]")?.getAttribute("data-key");
  const after = looks(boards);
  const changed = new Set([...after].filter(([name, look]) => before.get(name) !== look).map(([name]) => name));
  const look = { places, chosen: picking.keys, at: picking.chosen.length, changed, take };
  const inSight = middle($("boards"));
  $("boards").replaceChildren(...boards.map((/** @type {any} */ each) => board(each, drawing.symbols, look)));
  $("play").classList.toggle("bare", !boards.length);
  fitted(inSight);
  menu(there, places);
  log();
  const again = focused && [...$("boards").querySelectorAll("g.legal")].find((each) => each.dataset.key === focused);
  if (again) again.focus();
  $("undo").disabled = !now.undo;
  $("hint").disabled = !now.waits;
  $("save").disabled = $("link").disabled = false;
  for (const id of now.without ?? []) $(id).disabled = true;
  source.show(now);
}

/** @param {number} inSight what part of the boards is in the middle */
function fitted(inSight) {
  fit($("boards"));
  $("boards").scrollLeft = inSight * $("boards").scrollWidth - $("boards").clientWidth / 2;
  bring($("boards"));
}

/** What part of something that goes on beside the screen is in the middle. @param {HTMLElement} what */
const middle = (what) => (what.scrollLeft + what.clientWidth / 2) / what.scrollWidth || 0.5;

/** Who is to decide. @returns {string} */
const mover = () => (now.scene.seats ?? []).find((/** @type {any} */ seat) => seat.to_move)?.player ?? "";

/** @param {any} seat */
function player(seat) {
  const kind = now.seats[seat.player];
  const place = seat.place ? ` – place ${seat.place}` : "";
  const made = make("li", { className: seat.to_move ? "turn" : "" }, dot(seat.player), make("b", {}, plain(seat.player) + place));
  if (kind !== "human") made.append(make("span", {}, WORDS[kind] ?? kind));
  for (const note of seat.notes ?? []) made.append(make("span", {}, note));
  return made;
}

/** The colour of a player. @param {string} name */
function dot(name) {
  const made = make("i");
  const colour = (now.scene.seats ?? []).find((/** @type {any} */ seat) => seat.player === name)?.colour;
  if (colour) made.style.background = `var(--${colour})`;
  else made.className = "nobody";
  return made;
}

/** What happened. Each entry opens, and says why. */
function log() {
  const list = $("log");
  const steps = now.log;
  list.replaceChildren(...steps.map((/** @type {any} */ step, /** @type {number} */ at) => {
    const entry = button(told(step), () => attempt(() => opened(entry, at)), "entry");
    entry.prepend(dot(step.player));
    entry.setAttribute("aria-expanded", "false");
    if (step.words) entry.title = step.text;
    entry.tabIndex = at === steps.length - 1 ? 0 : -1;
    return make("li", {}, entry);
  }));
  list.scrollTop = list.scrollHeight;
}

/** A hint: what is to be done, in words, and what it is worth. @param {string} line */
function hinted(line) {
  const told = line.trim();
  const meant = now.actions.filter((/** @type {any} */ each) => told.startsWith(each.text))
    .sort((/** @type {any} */ one, /** @type {any} */ other) => other.text.length - one.text.length)[0];
  if (!meant) return make("p", {}, told);
  const [first, ...more] = told.slice(meant.text.length).split(", then ");
  const rest = [first, ...more.map((each) => each.replace(/^\w+\((?:[^()]|\([^()]*\))*\)/, spoken))].join(", then ");
  return make("p", {}, make("b", {}, spoken(meant.text)), rest.replace(/^:? +| {2,}/, ": "));
}

/** A step in words. @param {any} step */
function told(step) {
  const who = step.player ? step.who : step.who.replace(/^chance at ([^,]*).*$/, "$1");
  if (!step.words) return `${plain(who)}: ${step.text === "?" ? "secret" : spoken(step.text)}`;
  if (step.player) return `${plain(step.player)} ${step.words}`;
  return step.words[0].toUpperCase() + step.words.slice(1);
}

/** @param {HTMLElement} entry @param {number} at */
async function opened(entry, at) {
  const item = /** @type {HTMLElement} */ (entry.parentElement);
  if (entry.nextSibling) entry.nextSibling.remove();
  else item.append(reasons(await source.ask("why", { table, at })));
  entry.setAttribute("aria-expanded", String(Boolean(entry.nextSibling)));
  item.scrollIntoView({ block: "nearest" });
}

/** What can be done that the board does not show. @param {Set<string>} there @param {Map<string, any[]>} places */
function menu(there, places) {
  const parts = [];
  if (now.hand_over) {
    parts.push(make("p", {}, "Only this player may look at the page now."));
    parts.push(button(`I am ${plain(now.hand_over)}`, () => attempt(async () =>
      shown(await source.ask("sit", { table, player: now.hand_over }))), "main"));
  } else if (now.waits) {
    const names = picking.names();
    const begun = [picking.name || (picking.begun && names.length === 1 ? names[0] : ""), ...picking.chosen];
    if (picking.begun) parts.push(make("p", {}, `${begun.filter(Boolean).map(plain).join(" ")} …`));
    if (places.size) parts.push(make("p", {}, "Pick a marked place on the board."));
    for (const action of picking.whole()) parts.push(button(spoken(action.text), () => act(action.text)));
    if (names.length > 1) {
      for (const name of names) {
        const some = picking.left.filter((action) => action.name === name);
        if (some.some((action) => action.args.length > picking.chosen.length)) {
          parts.push(button(`${plain(name)} …`, () => { picking.named(name); render(); }));
        }
      }
    } else {
      for (const value of picking.values(there, mover())) {
        const at = picking.chosen.length;
        parts.push(button(plain(value), () => take(value, picking.left.filter((each) => each.args[at] === value))));
      }
    }
    if (picking.begun) parts.push(button("Back", back, "back"));
    parts.push(button("Why?", () => attempt(async () => {
      $("hints").replaceChildren(reasons(await source.ask("why", { table })));
    }), "quiet why-now"));
  } else if (now.over) {
    parts.push(button("Play again", () => attempt(choose), "main"));
  } else {
    parts.push(make("p", {}, source.waiting(now) || "The others play …"));
  }
  $("menu").replaceChildren(...parts);
}

/** A link that holds the whole game. */
async function linked() {
  const { saved } = await source.ask("save", { table });
  const address = `${location.origin}${location.pathname}#${WHOLE}${await packed(saved)}`;
  const field = document.createElement("input");
  Object.assign(field, { value: address, readOnly: true, id: "address" });
  field.setAttribute("aria-label", "link to this game");
  field.addEventListener("focus", () => field.select());
  let words = "This link holds the whole game:";
  try {
    await navigator.clipboard.writeText(address);
    words = "Copied: this link holds the whole game.";
  } catch {
    // the browser may forbid it; the link is there to be copied by hand
  }
  $("hints").replaceChildren(make("p", {}, words), field);
}

// --------------------------------------------------------------------------------------------------- start

const reading = () => `Reading the rules of ${choosing.title} …`;
$("game").addEventListener("change", () => attempt(() => choosing.described(), reading()));
$("choose").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  attempt(async () => sat(await source.ask("new", choosing.chosen)), `Setting up ${choosing.title} …`);
});
$("other").addEventListener("click", () => attempt(choose));
$("undo").addEventListener("click", () => attempt(async () => shown(await source.ask("undo", { table }))));
$("hint").addEventListener("click", () => attempt(async () => {
  $("hints").textContent = "Thinking …";
  try {
    const { hints } = await source.ask("hint", { table });
    $("hints").replaceChildren(...hints.map(hinted));
  } catch (error) {
    $("hints").textContent = "";
    throw error;
  }
}, "Thinking …"));
$("save").addEventListener("click", () => attempt(async () => {
  const { saved } = await source.ask("save", { table });
  const address = URL.createObjectURL(new Blob([saved], { type: "application/json" }));
  make("a", { href: address, download: "game.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}));
$("link").addEventListener("click", () => attempt(linked));
$("load").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => attempt(async () => {
  const [file] = $("file").files;
  $("file").value = "";
  if (file) await sat(await source.ask("load", { saved: await file.text() }));
}, "Playing the saved game …"));
$("log").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  const entries = [...$("log").querySelectorAll(".entry")];
  const at = entries.indexOf(document.activeElement);
  const next = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: entries.length - 1 }[event.key];
  if (at < 0 || next === undefined || !entries[next]) return;
  event.preventDefault();
  entries[next].focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && picking.begun) back();
});
addEventListener("resize", () => {
  fitted(middle($("boards")));
  $("log").scrollTop = $("log").scrollHeight;
});

/** What the address asks for: a whole game, or one that goes on here; else a game is chosen. */
async function start() {
  drawing = await source.drawing();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root { ${drawing.day} } @media (prefers-color-scheme: dark) { :root { ${drawing.night} } }`);
  document.adoptedStyleSheets = [sheet];
  await asked();
}

async function asked() {
  const kept = location.hash.slice(1);
  if (kept && kept !== table) {
    try {
      if (kept.startsWith(WHOLE)) {
        await sat(await source.ask("load", { saved: await unpacked(kept.slice(WHOLE.length)) }));
      } else {
        table = kept;
        const found = await source.ask("look", { table });
        if (found.invited) source.offer(found, kept, (ask) => attempt(async () => sat(await ask())));
        else await sat(found);
      }
      return;
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
    }
  }
  await choose();
}

addEventListener("hashchange", () => attempt(asked));
attempt(start, "Reading the rules …");

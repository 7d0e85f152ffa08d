// @ts-check
// The page: choosing a game, the drawn table, what the person can do. All it knows of the rules comes from a
// source (source.js).

import { Picking } from "./picking.js";
import { UNIT, drawn, element, key, looks } from "./scene.js";
import { source } from "./source.js";

const PAUSE = 350; // milliseconds between what bots do
const LARGEST = 640; // pixels that a board takes up, if there is room
const FEWEST = 6; // places that a board is thought to have at least
const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** @type {any} */ let drawing = { symbols: {} };
/** @type {any} */ let now = null; // the position
/** @type {string} */ let table = "";
/** @type {Map<string, string>} */ let before = new Map(); // how things looked when the person last decided
/** @type {Picking} */ let picking = new Picking([], {}, []);
/** @type {any} */ let about = null;
/** @type {Record<string, string>} */ let seats = {};
let busy = false;

// ------------------------------------------------------------------------------------------------ helpers

/** @param {string} name @param {object} [more] @param {(Node | string)[]} inside */
function make(name, more = {}, ...inside) {
  const made = Object.assign(document.createElement(name), more);
  made.append(...inside);
  return made;
}

/** @param {string} text @param {() => void} does @param {string} [kind] */
function button(text, does, kind = "") {
  const made = make("button", { type: "button", textContent: text, className: kind });
  made.addEventListener("click", does);
  return made;
}

const plain = (/** @type {string} */ name) => name.replaceAll("_", " ");

/** @param {string} [text] */
function complain(text = "") {
  $("error").textContent = text;
  $("error").hidden = !text;
}

/** Does something that may fail; one thing after another. @param {() => Promise<void>} what */
async function attempt(what) {
  if (busy) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    complain();
    await what();
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
  } finally {
    busy = false;
    document.body.removeAttribute("aria-busy");
  }
}

// ------------------------------------------------------------------------------------------ choosing a game

async function choose() {
  table = "";
  history.replaceState(null, "", location.pathname);
  $("title").textContent = document.title = "Kemu";
  $("play").hidden = true;
  $("choose").hidden = false;
  for (const id of ["undo", "hint", "save"]) $(id).disabled = true;
  if (!$("game").options.length) {
    const { games, chosen } = await source.ask("games");
    for (const name of games) {
      const title = plain(name.split("/").pop() ?? name).replaceAll("-", " ");
      $("game").append(new Option(title, name, false, name === chosen));
    }
  }
  await described();
}

async function described() {
  $("begin").disabled = true;
  about = await source.ask("about", { game: $("game").value });
  $("about").textContent = about.doc.split(/(?<=[a-z]\.) /)[0];
  $("options").replaceChildren(...about.options.map(option));
  $("more").hidden = !about.options.length;
  seats = {};
  await seated();
}

/** A choice among the values of an option. @param {any} each */
function option(each) {
  const usual = each.default ? each.default : "as the rules say";
  let field;
  if (each.values.length) {
    field = make("select");
    field.append(new Option(usual, ""));
    for (const value of each.values) if (value !== each.default) field.append(new Option(plain(value), value));
  } else {
    field = make("input", { placeholder: usual, inputMode: "numeric" });
  }
  field.dataset.option = each.name;
  field.addEventListener("change", () => attempt(seated));
  const label = make("label", {}, plain(each.name), field);
  if (each.text) label.title = each.text;
  return label;
}

function settings() {
  const fields = [...$("options").querySelectorAll("[data-option]")];
  return Object.fromEntries(fields.filter((each) => each.value).map((each) => [each.dataset.option, each.value]));
}

async function seated() {
  const { players, kinds } = await source.ask("table", { game: $("game").value, settings: settings() });
  const words = /** @type {Record<string, string>} */ ({
    human: "a person, here", random: "plays at random", "mcts:100": "thinks a little (100 games)",
    "mcts:1000": "thinks (1000 games)", "mcts:10000": "thinks hard (10000 games)", "mcts:1s": "thinks for a second",
    "mcts:5s": "thinks for five seconds",
  });
  const usual = kinds.includes("mcts:1000") ? "mcts:1000" : "random";
  seats = Object.fromEntries(
    players.map((/** @type {string} */ player, /** @type {number} */ at) => [player, seats[player] ?? (at ? usual : "human")]));
  const rows = players.map((/** @type {string} */ player) => {
    const field = make("select");
    for (const kind of kinds) field.append(new Option(words[kind] ?? kind, kind, false, kind === seats[player]));
    field.addEventListener("change", () => { seats[player] = field.value; });
    return make("label", {}, plain(player), field);
  });
  $("seats").replaceChildren($("seats").firstElementChild, ...rows);
  $("begin").disabled = false;
}

async function begin() {
  await sat(await source.ask("new", { game: $("game").value, settings: settings(), seats }));
}

/** At a table. @param {any} position */
async function sat(position) {
  table = position.table ?? table;
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
    now = position;
    picking = new Picking(now.actions, now.parameters, now.scene.picks ?? []);
    $("hints").textContent = "";
    render();
    if (now.waits || now.over || now.hand_over) return;
    const here = table;
    await new Promise((done) => setTimeout(done, PAUSE));
    position = await source.ask("go", { table: here });
    if (here !== table) return;
  }
}

/** @param {string} text */
function act(text) {
  attempt(async () => {
    const old = looks(now.scene.boards ?? []);
    const position = await source.ask("act", { table, action: text, step: now.step });
    before = old;
    await shown(position);
  });
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
  $("status").textContent = now.hand_over ? `${now.hand_over} is to decide` : scene.status;
  $("players").replaceChildren(...(scene.seats ?? []).map(player));
  const notes = [...(scene.notes ?? []), ...now.facts];
  $("notes").replaceChildren(...notes.map((text) => make("li", {}, text)));
  log();
  const there = new Set(boards.flatMap((/** @type {any} */ board) => board.shapes.map(key)));
  const places = now.waits ? picking.places(there) : new Map();
  const focused = document.activeElement?.closest("[data-key]")?.getAttribute("data-key");
  const after = looks(boards);
  const changed = new Set([...after].filter(([name, look]) => before.get(name) !== look).map(([name]) => name));
  $("boards").replaceChildren(...boards.map((/** @type {any} */ each) => board(each, places, changed)));
  $("play").classList.toggle("bare", !boards.length);
  fit();
  menu(there, places);
  const again = focused && [...$("boards").querySelectorAll("g.legal")].find((each) => each.dataset.key === focused);
  if (again) again.focus();
  $("undo").disabled = !now.log.some((/** @type {any} */ step) => now.seats[step.player] === "human");
  $("hint").disabled = !now.waits;
  $("save").disabled = false;
}

/** @param {any} each @param {Map<string, any[]>} places @param {Set<string>} changed */
function board(each, places, changed) {
  const made = /** @type {SVGElement} */ (drawn(each, drawing.symbols));
  made.dataset.wide = each.box[2];
  made.dataset.high = each.box[3];
  /** @type {Map<string, any>} */
  const last = new Map(each.shapes.map((/** @type {any} */ shape) => [key(shape), shape]));
  const named = new Set();
  const groups = [...made.querySelectorAll("g[data-key]")].reverse();
  for (const group of /** @type {SVGGElement[]} */ (groups)) {
    const name = group.dataset.key ?? "";
    const left = places.get(name);
    if (!left) continue;
    group.classList.add("legal");
    const does = () => take(left[0].args[picking.chosen.length], left, name);
    group.addEventListener("click", does);
    const line = group.querySelector("polyline, path");
    if (line?.getAttribute("fill") === "none") {
      const reach = /** @type {Element} */ (line.cloneNode());
      reach.setAttribute("class", "reach");
      for (const attribute of ["stroke", "stroke-width", "fill"]) reach.removeAttribute(attribute);
      group.append(reach);
    }
    if (named.has(name)) continue; // of several shapes of a thing the uppermost is a stop of the keyboard
    named.add(name);
    const verbs = [...new Set(left.map((action) => plain(action.name)))].join(" or ");
    group.setAttribute("tabindex", "0");
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", `${verbs} ${left[0].args[picking.chosen.length]}`);
    group.addEventListener("keydown", (event) => keys(/** @type {KeyboardEvent} */ (event), group, does));
  }
  for (const [name, shape] of last) {
    if (!name) continue;
    const [x, y] = centre(shape);
    const wide = Math.min(1, ...(shape.size ?? [1]).map((/** @type {number} */ size) => Math.max(size, 0.3)));
    if (changed.has(name)) made.append(over("changed", x, y, wide * 0.52));
    if (picking.keys.includes(name)) made.append(over("chosen", x, y, wide * 0.5));
    else if (places.has(name)) made.append(over("mark", x, y, Math.max(0.09, wide * 0.13)));
  }
  return made;
}

/** @param {any} shape */
const centre = (shape) =>
  [0, 1].map((axis) => shape.at.reduce((/** @type {number} */ sum, /** @type {number[]} */ at) => sum + at[axis], 0) / shape.at.length);

/** @param {string} kind @param {number} x @param {number} y @param {number} r */
function over(kind, x, y, r) {
  return element("circle", { class: kind, cx: x * UNIT, cy: y * UNIT, r: r * UNIT, "pointer-events": "none" });
}

/** Enter picks; arrows go to the next thing that can be picked in that direction.
 *  @param {KeyboardEvent} event @param {SVGGElement} group @param {() => void} does */
function keys(event, group, does) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    does();
  } else if (way) {
    event.preventDefault();
    const middle = (/** @type {Element} */ each) => {
      const box = each.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = middle(group);
    let best = Infinity;
    let next = null;
    for (const other of $("boards").querySelectorAll("g.legal[tabindex]")) {
      const [right, down] = [middle(other)[0] - x, middle(other)[1] - y];
      const along = right * way[0] + down * way[1];
      const aside = Math.abs(right * way[1]) + Math.abs(down * way[0]);
      if (along > 2 && along + 2 * aside < best) [best, next] = [along + 2 * aside, other];
    }
    next?.focus();
  }
}

/** All boards in one scale, as large as there is room. */
function fit() {
  const all = /** @type {SVGElement[]} */ ([...$("boards").children]);
  if (!all.length) return;
  const wide = Math.max(...all.map((each) => Number(each.dataset.wide)));
  const high = Math.max(...all.map((each) => Number(each.dataset.high)));
  const room = Math.max(200, Math.min($("boards").clientWidth, 900));
  const largest = Math.min(LARGEST, Math.max(320, innerHeight - 90));
  const unit = Math.min(room / wide, largest / Math.max(FEWEST, high), LARGEST / FEWEST);
  for (const each of all) each.style.width = `${Math.round((Number(each.dataset.wide) + 0.16) * unit)}px`;
}

/** @param {any} seat */
function player(seat) {
  const dot = make("i");
  dot.style.background = `var(--${seat.colour})`;
  const kind = now.seats[seat.player] === "human" ? "" : ` (${now.seats[seat.player]})`;
  const place = seat.place ? ` – place ${seat.place}` : "";
  const made = make("li", { className: seat.to_move ? "turn" : "" }, dot, make("b", {}, plain(seat.player) + kind + place));
  for (const note of seat.notes ?? []) made.append(make("span", {}, note));
  return made;
}

function log() {
  const list = $("log");
  list.replaceChildren(...now.log.map((/** @type {any} */ step) => make("li", { title: step.words ? step.text : "" },
    `${step.who}: ${step.words || step.text}`)));
  list.scrollTop = list.scrollHeight;
}

/** What can be done that the board does not show. @param {Set<string>} there @param {Map<string, any[]>} places */
function menu(there, places) {
  const parts = [];
  if (now.hand_over) {
    parts.push(make("p", {}, "Only this player may look at the page now."));
    parts.push(button(`I am ${now.hand_over}`, () => attempt(async () =>
      shown(await source.ask("sit", { table, player: now.hand_over }))), "main"));
  } else if (now.waits) {
    const names = picking.names();
    const begun = [picking.name, ...picking.chosen].filter(Boolean).map(plain).join(" ");
    if (begun) parts.push(make("p", {}, `${begun} …`));
    if (places.size) parts.push(make("p", {}, "Pick a marked place on the board."));
    for (const action of picking.whole()) parts.push(button(plain(action.text), () => act(action.text)));
    if (names.length > 1) {
      for (const name of names) {
        const some = picking.left.filter((action) => action.name === name);
        if (some.some((action) => action.args.length > picking.chosen.length)) {
          parts.push(button(`${plain(name)} …`, () => { picking.named(name); render(); }));
        }
      }
    } else {
      for (const value of picking.values(there)) {
        const at = picking.chosen.length;
        parts.push(button(plain(value), () => take(value, picking.left.filter((each) => each.args[at] === value))));
      }
    }
    if (picking.begun) parts.push(button("Back", back));
  } else if (now.over) {
    parts.push(button("Play again", () => attempt(choose), "main"));
  } else {
    parts.push(make("p", {}, "The others play …"));
  }
  $("menu").replaceChildren(...parts);
}

// --------------------------------------------------------------------------------------------------- start

$("game").addEventListener("change", () => attempt(described));
$("choose").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  attempt(begin);
});
$("other").addEventListener("click", () => attempt(choose));
$("undo").addEventListener("click", () => attempt(async () => shown(await source.ask("undo", { table }))));
$("hint").addEventListener("click", () => attempt(async () => {
  $("hints").textContent = "Thinking …";
  try {
    $("hints").textContent = (await source.ask("hint", { table })).hints.join("\n");
  } catch (error) {
    $("hints").textContent = "";
    throw error;
  }
}));
$("save").addEventListener("click", () => attempt(async () => {
  const { saved } = await source.ask("save", { table });
  const address = URL.createObjectURL(new Blob([saved], { type: "application/json" }));
  make("a", { href: address, download: "game.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}));
$("load").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => attempt(async () => {
  const [file] = $("file").files;
  $("file").value = "";
  if (file) await sat(await source.ask("load", { saved: await file.text() }));
}));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && picking.begun) back();
});
addEventListener("resize", fit);

attempt(async () => {
  drawing = await source.drawing();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root { ${drawing.day} } @media (prefers-color-scheme: dark) { :root { ${drawing.night} } }`);
  document.adoptedStyleSheets = [sheet];
  const kept = location.hash.slice(1);
  if (kept) {
    try {
      table = kept;
      await sat(await source.ask("look", { table }));
      return;
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error));
    }
  }
  await choose();
});

// @ts-check
// A position as the page is told of it (kemu/web/README.md): the scene, what can be done, what happened. After
// kemu/web/position.py, kemu/render/scene/scene.py and picks.py, kemu/render/turn.py and words.py.

import { beside, drawn, usual } from "./shapes.js";

const CORNERS = 2 / Math.sqrt(3);
const DECIMALS = 1000;

/** @typedef {import("./machine.js").Stop} Stop */
/** @typedef {import("./machine.js").Machine} Machine */

/** @param {string[]} names */
export const listed = (names) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names[0];

// ------------------------------------------------------------------------------------------------- whose turn

/** Who is to decide, or where chance is; and whose turn it is, if it is another's. @param {Machine} machine @param {Stop} stop */
export function who(machine, stop) {
  const actor = machine.actor(stop) || chance(machine, stop);
  const player = turn(machine, stop);
  return player === null || player === actor ? actor : `${actor}, in ${player}'s turn`;
}

/** @param {Machine} machine @param {Stop} stop */
function chance(machine, stop) {
  const label = machine.label(stop);
  if (machine.kind(stop) === "chance" && label === "reveal") return "shown";
  return `chance at ${label}`;
}

/** The player whose turn play is in, as far as the rules say. @param {Machine} machine @param {Stop} stop @returns {string | null} */
function turn(machine, stop) {
  let found = null;
  for (const at of machine.data.blocks[stop.block][3]) found = machine.players[Number(stop.locals[at])] ?? found;
  return found;
}

/** @param {Machine} machine @param {Stop} stop */
function status(machine, stop) {
  const result = machine.result(stop);
  if (result) return ending(result, machine.exit(stop)[2]);
  if (!machine.actor(stop)) return who(machine, stop);
  const names = new Set(machine.moves(stop).map((each) => each.name.replaceAll("_", " ")));
  return `${who(machine, stop)}: ${[...names].join(", ")}`;
}

/** @param {import("./machine.js").Result} result @param {string[]} keys */
function ending({ form, places, scores }, keys) {
  const winners = [...places].filter(([, place]) => place === 1).map(([player]) => player);
  if (form === "win" && winners.length === 1) return `${winners[0]} wins`;
  if (form === "tie" || (form === "win" && winners.length === places.size)) return "a tie";
  return [...new Set(places.values())].sort((one, other) => one - other).map((place) => {
    const players = [...places].filter(([, each]) => each === place).map(([player]) => player);
    const numbers = /** @type {any[]} */ (scores.get(players[0])).map(String);
    const named = keys.length ? numbers.map((each, at) => `${keys[at]} ${each}`) : numbers;
    return `${place}. ${listed(players)} (${named.join(", ")})`;
  }).join(", ");
}

// -------------------------------------------------------------------------------------------------- the scene

/** @param {import("./picture.js").Views} views @param {any[]} seen the views of the viewer @param {Stop} stop
 *  @param {boolean} offered whether it may be told what can be done @returns {any} */
export function scene(views, seen, stop, offered) {
  const { machine } = views;
  const every = views.pictures(seen, stop);
  const some = every.filter((each) => each.figures.length);
  const pictures = some.length ? some : every;
  const seats = new Map(pictures.flatMap((each) => beside(each, "seat")).map((each) => [each.element, each]));
  const { colours, named } = machine.data;
  /** @type {Map<string, string>} */
  const shades = new Map(machine.players.map((/** @type {string} */ player, /** @type {number} */ at) => [player, colours[at]]));
  for (const [name, each] of seats) if (each.fill && !each.fill.startsWith("@")) shades.set(name, each.fill);
  const lines = said(pictures);
  const place = machine.result(stop)?.places;
  const mover = machine.actor(stop) || turn(machine, stop);
  const boards = pictures.map((each) => {
    const shapes = each.figures.length ? drawn(each, shades) : usual(each, shades, named);
    return { name: each.name, box: box(shapes), shapes };
  }).filter((each) => each.shapes.length);
  const open = offered || machine.kind(stop) === "end";
  return plain({
    format: "kemu-scene",
    version: 1,
    game: machine.data.game,
    status: open ? status(machine, stop) : who(machine, stop),
    seats: machine.players.map((/** @type {string} */ player) => ({
      player,
      colour: shades.get(player),
      to_move: player === mover,
      place: place?.get(player) ?? 0,
      notes: [
        ...(seats.get(player)?.text ?? "").split("; ").filter(Boolean),
        ...lines.map((line) => about(player, line)).filter((/** @type {any} */ each) => each !== null),
      ],
    })),
    boards,
    notes: lines.filter((line) => machine.players.every((/** @type {string} */ player) => about(player, line) === null)),
    picks: open ? picks(machine, stop, boards) : [],
  });
}

/** What stands beside the boards. @param {import("./picture.js").Picture[]} pictures */
function said(pictures) {
  return pictures.flatMap((each) => {
    const notes = beside(each, "note").map((note) => note.text);
    return notes.length || beside(each, "seat").length ? notes : each.lines.map((line) => line.trim());
  }).filter(Boolean);
}

/** What a line says of a player; null if it is not about him. @param {string} player @param {string} line */
function about(player, line) {
  const found = line.startsWith(player) ? /^[:,]? +/.exec(line.slice(player.length)) : null;
  return found ? line.slice(player.length + found[0].length) : null;
}

/** @param {import("./shapes.js").Shape[]} shapes */
function box(shapes) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { kind, at, size, text } of shapes) {
    let [wide, high] = kind === "polygon" ? [0, 0] : size;
    if (kind === "hexagon") wide *= CORNERS;
    else if (kind === "text") wide = Math.min(wide, high * [...text].length);
    for (const [x, y] of at) {
      [left, top] = [Math.min(left, x - wide / 2), Math.min(top, y - high / 2)];
      [right, bottom] = [Math.max(right, x + wide / 2), Math.max(bottom, y + high / 2)];
    }
  }
  return left > right ? [0, 0, 0, 0] : [left, top, right - left, bottom - top];
}

/** As JSON: numbers rounded, fields that are empty left out. @param {any} value @returns {any} */
function plain(value) {
  if (typeof value === "number") return rounded(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const pairs = Object.entries(value).map(([name, each]) => [name, plain(each)]);
  return Object.fromEntries(pairs.filter(([, each]) => each && !(Array.isArray(each) && !each.length)));
}

/** To three decimals, halves to the even side. @param {number} value */
function rounded(value) {
  const many = value * DECIMALS;
  const near = Math.abs(value * 16) % 2 === 1 ? 2 * Math.round(many / 2) : Number(value.toFixed(3)) * DECIMALS;
  return Math.round(near) / DECIMALS + 0;
}

/** @param {Machine} machine @param {Stop} stop @param {any[]} boards */
function picks(machine, stop, boards) {
  if (machine.kind(stop) !== "decide") return [];
  const now = new Set(stop.choices.map((choice) => choice.arm));
  /** @type {Map<string, Set<string>>} */
  const shown = new Map();
  for (const { domain, element } of boards.flatMap((each) => each.shapes)) {
    if (element) shown.set(domain, (shown.get(domain) ?? new Set()).add(element));
  }
  return machine.exit(stop)[3].flatMap((/** @type {any} */ [action, params], /** @type {number} */ at) => {
    if (!now.has(at)) return [];
    const texts = params.map((/** @type {any} */ each) => new Set(machine.texts(each[4])));
    const places = texts.map((/** @type {Set<string>} */ each) => where(shown, each));
    return params.flatMap((/** @type {any} */ [parameter], /** @type {number} */ number) => {
      const closer = new Set(places.filter((/** @type {any} */ _, /** @type {number} */ other) =>
        texts[other].size < texts[number].size).flat());
      const domains = places[number].filter((/** @type {string} */ each) => !closer.has(each));
      return domains.length ? [{ action, parameter, domains: domains.sort() }] : [];
    });
  });
}

/** The domains to which things with these texts belong. @param {Map<string, Set<string>>} shown @param {Set<string>} texts */
function where(shown, texts) {
  const within = (/** @type {Set<string>} */ some, /** @type {Set<string>} */ all) => [...some].every((each) => all.has(each));
  const every = [...texts];
  if (every.every((text) => /^-?\d+$/.test(text))) {
    return [...shown].filter(([name, some]) => name && within(some, texts)).map(([name]) => name);
  }
  const alike = [...shown].filter(([, some]) => within(texts, some) || within(some, texts));
  if (every.every((text) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(text))) return alike.map(([name]) => name);
  const far = (/** @type {Set<string>} */ some) => Math.abs(texts.size - some.size);
  const closest = Math.min(...alike.map(([, some]) => far(some)));
  return alike.filter(([, some]) => far(some) === closest).map(([name]) => name);
}

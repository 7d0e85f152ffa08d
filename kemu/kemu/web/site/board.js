// @ts-check
// The boards in the page: what can be picked on them, by mouse, finger and keys; what is marked; how large they are.

import { plain } from "./dom.js";
import { UNIT, drawn, element, key } from "./scene.js";

const LARGEST = 640; // pixels that a board takes up, if there is room
const FEWEST = 4; // places that a board is thought to have at least
const LEAST = 26; // pixels of a place, below which boards rather go on below the screen
const FINGER = 44; // pixels of a place that a finger hits at once: where boards stand below each other, each for itself
const TOUCH = 24; // pixels that a finger needs of what can be picked: where there are fewer, boards go on beside the screen
const TIMES = 3; // how much larger a board is made for that, at most
const GAP = 16; // pixels between boards
const TOGETHER = 0.35; // places between things that lie together
const GROUNDS = ["circle", "disc", "ring", "square", "hexagon", "tile", "card"]; // on which is written
const PIECES = [...GROUNDS, "symbol", "die"]; // of which several may lie beside each other for one thing
const REACH = 0.42; // places round a thing in which it is picked, if nothing else is near

/** @typedef {import("./picking.js").Action} Action */
/** @typedef {{places: Map<string, Action[]>, chosen: string[], at: number, changed: Set<string>,
 *   take: (value: string, left: Action[], name: string) => void}} Look */

/** A board, with what can be picked on it. @param {any} board @param {any} symbols @param {Look} look */
export function shown(board, symbols, look) {
  const made = /** @type {SVGElement} */ (drawn(board, symbols));
  made.dataset.wide = board.box[2];
  made.dataset.high = board.box[3];
  const last = uppermost(board.shapes);
  const legal = [...last].filter(([name]) => look.places.has(name));
  for (const group of /** @type {NodeListOf<SVGGElement>} */ (made.querySelectorAll("g[data-key]"))) {
    const name = group.dataset.key ?? "";
    if (look.places.has(name)) touched(group, () => taken(name, look));
  }
  for (const each of rings([...last].filter(([name]) => look.changed.has(name)))) made.append(round(each));
  for (const [name, shape] of last) {
    const [x, y] = centre(shape);
    if (look.chosen.includes(name)) made.append(over("chosen", x, y, Math.min(0.5, Math.max(least(shape), 0.3) * 0.7)));
  }
  const stops = apart(legal, look);
  for (const [name, shape] of stops) made.append(stop(name, shape, stops.map(([, each]) => centre(each)), look));
  return made;
}

/** What lies uppermost of each thing, by its key; a text is where the ground is that it is written on, a symbol where that
 *  is on which it stands. @param {any[]} shapes */
function uppermost(shapes) {
  /** @type {Map<string, any>} */
  const last = new Map();
  /** @type {Map<string, any>} */
  const ground = new Map();
  /** @type {Map<string, any[]>} */
  const pieces = new Map();
  for (const shape of shapes) {
    const name = key(shape);
    if (GROUNDS.includes(shape.kind)) ground.set(name, shape);
    if (PIECES.includes(shape.kind)) pieces.set(name, [...(pieces.get(name) ?? []), shape]);
    const under = ground.get(name);
    const on = under && (shape.kind === "text" || (shape.kind === "symbol" && stands(shape, under)));
    last.set(name, on ? { ...shape, at: under.at, size: under.size } : shape);
  }
  last.delete("");
  for (const [name, all] of pieces) {
    const shape = last.get(name);
    if (all.includes(shape)) last.set(name, gathered(shape, all));
  }
  return last;
}

/** Whether a symbol stands on a ground. @param {any} shape @param {any} under */
const stands = (shape, under) => least(shape) <= least(under) && apartBy(shape, under) < least(under) / 2;

/** @param {any} one @param {any} other */
const apartBy = (one, other) => Math.hypot(one.at[0][0] - other.at[0][0], one.at[0][1] - other.at[0][1]);

/** A shape and those that lie beside it for the same thing, as boats on a beach do: all in one.
 *  @param {any} shape @param {any[]} all */
function gathered(shape, all) {
  const found = [shape];
  for (const one of found) { // those that are found are looked at, too
    for (const other of all) {
      const away = apartBy(one, other);
      const large = Math.max(least(one), least(other));
      if (!found.includes(other) && away > 0.5 * large && away < 1.4 * large) found.push(other);
    }
  }
  if (found.length === 1) return shape;
  const box = [0, 1].map((axis) => [
    Math.min(...found.map((each) => each.at[0][axis] - each.size[axis] / 2)),
    Math.max(...found.map((each) => each.at[0][axis] + each.size[axis] / 2)),
  ]);
  return { ...shape, at: [box.map(([from, to]) => (from + to) / 2)], size: box.map(([from, to]) => to - from), row: true };
}

/** Rings round things, but for small ones within large ones: a new tile is one change. Middle, half of what they are wide
 *  and high. @param {[string, any][]} things */
function rings(things) {
  /** @type {number[][]} */
  const found = [];
  const all = things.map(([, shape]) => [...centre(shape), ...half(shape)]);
  const small = (/** @type {number[]} */ ring) => Math.min(ring[2], ring[3]);
  for (const each of all.sort((one, other) => small(other) - small(one))) {
    const [x, y] = each;
    const within = (/** @type {number[]} */ [right, down, wide, high]) => Math.hypot((right - x) / wide, (down - y) / high) < 1;
    if (!found.some((other) => small(other) > 1.5 * small(each) && within(other))) found.push(each);
  }
  return found;
}

/** Half the width and height of a ring round a thing: round it is, but for what lies in a row. @param {any} shape */
function half(shape) {
  const sides = shape.row ? shape.size : [least(shape), least(shape)];
  return sides.map((/** @type {number} */ side) => (side < 0.9 ? Math.max(side * 0.58, 0.16) : side * 0.51));
}

/** @param {number[]} ring */
function round([x, y, wide, high]) {
  return element("rect", {
    class: "changed", x: (x - wide) * UNIT, y: (y - high) * UNIT, width: 2 * wide * UNIT, height: 2 * high * UNIT,
    rx: Math.min(wide, high) * UNIT,
  });
}

/** One of several things that lie together and mean the same. @param {[string, any][]} legal @param {Look} look */
function apart(legal, look) {
  const means = (/** @type {string} */ name) => (look.places.get(name) ?? []).map((each) => each.text).join("\n");
  /** @type {[string, any][]} */
  const found = [];
  for (const [name, shape] of legal.reverse()) {
    const [x, y] = centre(shape);
    const near = found.filter(([, other]) => Math.hypot(centre(other)[0] - x, centre(other)[1] - y) < TOGETHER);
    if (!near.some(([other]) => means(other) === means(name))) found.unshift([name, shape]);
  }
  return found;
}

/** @param {string} name @param {Look} look */
function taken(name, look) {
  const left = look.places.get(name) ?? [];
  look.take(left[0].args[look.at], left, name);
}

/** A drawn thing that can be picked where it is painted; thin lines a little beside, too.
 *  @param {SVGGElement} group @param {() => void} does */
function touched(group, does) {
  group.classList.add("touch");
  group.addEventListener("click", does);
  const line = group.querySelector("polyline, path");
  if (line?.getAttribute("fill") !== "none") return;
  const reach = /** @type {Element} */ (line.cloneNode());
  reach.setAttribute("class", "along");
  for (const attribute of ["stroke", "stroke-width", "fill"]) reach.removeAttribute(attribute);
  group.append(reach);
}

/** The mark of a thing that can be picked; it is what the keyboard stops at, and what a finger needs to hit.
 *  @param {string} name @param {any} shape @param {number[][]} others @param {Look} look */
function stop(name, shape, others, look) {
  const [x, y] = centre(shape);
  const away = others.map(([right, down]) => Math.hypot(right - x, down - y)).filter((each) => each > 0.02);
  const room = Math.min(...away) / 2;
  const wide = least(shape);
  const left = look.places.get(name) ?? [];
  const made = element("g", { class: "legal", tabindex: 0, role: "button", "data-key": name });
  const verbs = [...new Set(left.map((action) => plain(action.name)))].join(" or ");
  made.setAttribute("aria-label", `${verbs} ${plain(left[0].args[look.at])}`);
  const written = shape.text && shape.kind !== "symbol";
  made.append(
    over("reach", x, y, Math.min(Math.max(REACH, wide / 2), Math.max(room, 0.05))),
    written ? over("round", x, y, Math.min(Math.max(wide * 0.58, 0.15), room)) : over("mark", x, y, Math.max(0.045, wide * 0.13)),
    over("focus", x, y, Math.max(wide, 0.24) * 0.56),
  );
  const does = () => taken(name, look);
  made.addEventListener("click", does);
  made.addEventListener("keydown", (event) => keys(/** @type {KeyboardEvent} */ (event), made, does));
  return made;
}

/** How wide a shape is where it is narrowest; no more than a place. @param {any} shape */
const least = (shape) => Math.min(1, ...(shape.size ?? [1]));

/** @param {any} shape */
const centre = (shape) =>
  [0, 1].map((axis) => shape.at.reduce((/** @type {number} */ sum, /** @type {number[]} */ at) => sum + at[axis], 0) / shape.at.length);

/** @param {string} kind @param {number} x @param {number} y @param {number} r */
function over(kind, x, y, r) {
  return element("circle", { class: kind, cx: x * UNIT, cy: y * UNIT, r: r * UNIT });
}

/** Enter picks; arrows go to the next thing that can be picked in that direction.
 *  @param {KeyboardEvent} event @param {Element} stop @param {() => void} does */
function keys(event, stop, does) {
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
    const [x, y] = middle(stop);
    let best = Infinity;
    let next = null;
    for (const other of /** @type {NodeListOf<SVGElement>} */ (document.querySelectorAll("g.legal"))) {
      const [right, down] = [middle(other)[0] - x, middle(other)[1] - y];
      const along = right * way[0] + down * way[1];
      const aside = Math.abs(right * way[1]) + Math.abs(down * way[0]);
      if (along > 2 && along + 2 * aside < best) [best, next] = [along + 2 * aside, other];
    }
    next?.focus();
  }
}

/** All boards in one scale (but for small ones on a narrow screen), as large as there is room: all to be seen at once, if they are not too small then.
 *  @param {HTMLElement} boards */
export function fit(boards) {
  const all = /** @type {SVGElement[]} */ ([...boards.children]);
  if (!all.length) return;
  const sizes = all.map((each) => [Number(each.dataset.wide) + 0.16, Number(each.dataset.high) + 0.16]);
  const wide = Math.max(...sizes.map((each) => each[0]));
  const high = Math.max(...sizes.map((each) => each[1]));
  const room = Math.max(200, boards.clientWidth);
  const beside = boards.clientWidth < innerWidth * 0.8; // else what is said stands below
  const screen = Math.max(320, innerHeight - 90);
  const largest = Math.min(room / wide, Math.min(LARGEST, screen) / Math.max(FEWEST, high));
  let unit = largest;
  while (beside && unit * 0.97 > LEAST && laid(sizes, unit, room) > screen) unit *= 0.97;
  if (laid(sizes, unit, room) > screen) unit = largest;
  all.forEach((each, at) => {
    const alone = Math.min(room / sizes[at][0], Math.min(LARGEST, screen) / Math.max(FEWEST, sizes[at][1]));
    const shown = beside ? unit : Math.max(unit, Math.min(alone, FINGER));
    const reach = beside ? Infinity : Math.min(...[...each.querySelectorAll(".reach")].map((made) => Number(made.getAttribute("r")) * 2 / UNIT));
    each.style.width = `${Math.ceil(sizes[at][0] * Math.max(shown, Math.min(TOUCH / reach, TIMES * shown)))}px`;
  });
}

/** Of boards that go on beside the screen: what can be picked comes into sight, if nothing of it is.
 *  @param {HTMLElement} boards */
export function bring(boards) {
  const frame = boards.getBoundingClientRect();
  const away = [...boards.querySelectorAll("g.legal")].map((each) => {
    const box = each.getBoundingClientRect();
    return box.x + box.width / 2 - frame.x - frame.width / 2;
  }).sort((one, other) => Math.abs(one) - Math.abs(other))[0];
  if (Math.abs(away) > frame.width / 2) boards.scrollLeft += away;
}

/** How high boards are together, side by side in rows. @param {number[][]} sizes @param {number} unit @param {number} room */
function laid(sizes, unit, room) {
  let [across, row, total] = [0, 0, 0];
  for (const [wide, high] of sizes) {
    if (across && across + GAP + wide * unit > room) [across, total, row] = [0, total + row + GAP, 0];
    across += (across ? GAP : 0) + wide * unit;
    row = Math.max(row, high * unit);
  }
  return total + row;
}

// @ts-check
// A scene (docs/drawing.md) as SVG: the same pictures as kemu/render/scene/drawing.py, from the same data.

/** @typedef {{kind: string, at: number[][], size?: number[], fill?: string, edge?: string, text?: string,
 *   turn?: number, domain?: string, element?: string, owner?: string}} Shape */
/** @typedef {{name: string, box: number[], shapes: Shape[]}} Board */
/** @typedef {Record<string, [string, string][]>} Symbols */

export const UNIT = 100; // of the drawing's own units in a place
const FITS = 0.92;
const WIDTH = 0.62; // how much of a letter's height it is wide
/** @type {Record<string, string>} */
const USUAL = {
  square: "cell", hexagon: "cell", circle: "cell", polygon: "cell", tile: "cell", disc: "stone", line: "line",
  curve: "line", ring: "ink", arrow: "ink", text: "quiet", symbol: "ink", card: "card", die: "card",
};
const OUTLINED = ["square", "hexagon", "circle", "polygon"];
/** @type {Record<string, number[][]>} */
const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]], 5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};
const NAMESPACE = "http://www.w3.org/2000/svg";

/** An element of SVG. @param {string} name @param {Record<string, string | number>} [more] */
export function element(name, more = {}) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(more)) made.setAttribute(key, String(value));
  return made;
}

const colour = (/** @type {Shape} */ shape) => shape.fill || USUAL[shape.kind] || "ink";
const paint = (/** @type {string} */ name) => (name === "none" ? "none" : `var(--${name})`);
const size = (/** @type {Shape} */ shape) => [(shape.size?.[0] ?? 0) * UNIT, (shape.size?.[1] ?? 0) * UNIT];
const middle = (/** @type {Shape} */ shape) => [shape.at[0][0] * UNIT, shape.at[0][1] * UNIT];
const pair = (/** @type {number[]} */ point) => `${point[0] * UNIT} ${point[1] * UNIT}`;

/** What is round a piece, if nothing is said. @param {Shape} shape */
const rim = (shape) => (colour(shape) === "none" ? "var(--edge)" : `var(--rim-${colour(shape)})`);

/** The outline and the inside. @param {Shape} shape */
function painted(shape, wide = 0.025) {
  const usual = OUTLINED.includes(shape.kind) ? "var(--line)" : rim(shape);
  const least = Math.min(1, ...(shape.size ?? [1]));
  return {
    fill: paint(colour(shape)), stroke: shape.edge ? paint(shape.edge) : usual,
    "stroke-width": Math.max(1.2, wide * UNIT * least),
  };
}

/** @param {string} points @param {Shape} shape @param {Record<string, string>} [more] */
function outline(points, shape, more = {}) {
  return element("polygon", { points, ...painted(shape), "stroke-linejoin": "round", ...more });
}

/** @param {Shape} shape @returns {Record<string, string>} */
function turned(shape) {
  if (!shape.turn) return {};
  const [x, y] = middle(shape);
  return { transform: `rotate(${shape.turn} ${x} ${y})` };
}

/** @param {string} text @param {number} x @param {number} y @param {number} wide @param {number} high
 *  @param {string} fill */
function written(text, x, y, wide, high, fill) {
  const font = Math.min(high, (FITS * wide) / (WIDTH * Math.max(1, [...text].length)));
  const made = element("text", {
    x, y: y + 0.355 * font, "font-size": font, "font-weight": 600, fill, "text-anchor": "middle",
  });
  made.textContent = text;
  return made;
}

/** What is written on a shape. @param {Shape} shape */
function label(shape, room = 0.62) {
  if (!shape.text) return [];
  const [x, y] = middle(shape);
  const [wide, high] = size(shape);
  const name = colour(shape);
  const ink = name === "none" ? "var(--ink)" : `var(--on-${name})`;
  return [written(shape.text, x, y, wide * 0.94, high * room, ink)];
}

/** @param {Shape} shape */
function rectangle(shape, round = 0) {
  const [x, y] = middle(shape);
  const [wide, high] = size(shape);
  return element("rect", {
    x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: round * Math.min(wide, high),
    ...painted(shape), ...turned(shape),
  });
}

/** @param {Shape} shape */
function bare(shape) {
  return {
    fill: "none", stroke: paint(colour(shape)), "stroke-width": Math.max(1.2, size(shape)[0]),
    "stroke-linecap": "round", "stroke-linejoin": "round",
  };
}

/** @param {Shape} shape */
function arrow(shape) {
  const [wide, high] = size(shape);
  let [x1, y1] = middle(shape);
  let [x2, y2] = [x1, y1];
  let head = wide;
  if (shape.at.length === 1) {
    const angle = ((shape.turn ?? 0) * Math.PI) / 180;
    [x2, y2] = [x1 + (high / 2) * Math.sin(angle), y1 - (high / 2) * Math.cos(angle)];
    [x1, y1] = [2 * x1 - x2, 2 * y1 - y2];
    head = wide * 0.5;
  } else {
    [x2, y2] = shape.at[shape.at.length - 1].map((each) => each * UNIT);
  }
  const long = Math.hypot(x2 - x1, y2 - y1);
  if (!long) return [];
  const across = head * 0.5, back = long - head * 0.9, shaft = head * 0.16;
  const turn = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const points = `0,${shaft} ${back},${shaft} ${back},${across} ${long},0 ${back},${-across} ${back},${-shaft} ` +
    `0,${-shaft}`;
  return [outline(points, shape, { transform: `translate(${x1} ${y1}) rotate(${turn})` })];
}

/** @param {Shape} shape @param {Symbols} symbols */
function symbol(shape, symbols) {
  const [x, y] = middle(shape);
  const [wide, high] = size(shape);
  const name = colour(shape);
  const turn = shape.turn ? ` rotate(${shape.turn})` : "";
  const made = element("g", {
    transform: `translate(${x} ${y})${turn} scale(${wide / 100} ${high / 100}) translate(-50 -50)`,
  });
  for (const [path, part] of symbols[shape.text ?? ""] ?? []) {
    const inside = part === "fill" ? paint(name) : part === "ink" ? `var(--on-${name})`
      : part === "rib" ? "none" : paint(part);
    const outside = part === "rib" ? `var(--on-${name})` : part === "ink" ? "none" : shape.edge ? paint(shape.edge) : rim(shape);
    /** @type {Record<string, number>} */
    const more = part === "rib" ? { "stroke-opacity": 0.55 } : {};
    made.append(element("path", {
      d: path, fill: inside, stroke: outside, "stroke-width": 3, "stroke-linejoin": "round",
      "stroke-linecap": "round", ...more,
    }));
  }
  return [made];
}

/** @param {Shape} shape */
function die(shape) {
  const [x, y] = middle(shape);
  const wide = size(shape)[0];
  const pips = PIPS[shape.text ?? ""];
  if (!pips) return [rectangle(shape, 0.2), ...label(shape)];
  const dots = pips.map(([right, down]) => element("circle", {
    cx: x + right * wide * 0.27, cy: y + down * wide * 0.27, r: wide * 0.09, fill: `var(--on-${colour(shape)})`,
  }));
  return [rectangle(shape, 0.2), ...dots];
}

/** @param {Shape} shape */
function hexagon(shape) {
  const [x, y] = middle(shape);
  const [wide, high] = size(shape).map((each) => each / Math.sqrt(3));
  const corners = [0, 1, 2, 3, 4, 5].map(
    (at) => `${x + wide * Math.cos((at * Math.PI) / 3)},${y + high * Math.sin((at * Math.PI) / 3)}`);
  return [outline(corners.join(" "), shape, turned(shape)), ...label(shape)];
}

/** @param {Shape} shape */
function curve(shape) {
  const [first, ...rest] = shape.at.map(pair);
  const sign = { 3: "Q", 4: "C" }[shape.at.length] ?? "L";
  return [element("path", { d: `M${first}${sign}${rest.join(" ")}`, ...bare(shape) })];
}

/** @param {Shape} shape */
function round(shape) {
  const [cx, cy] = middle(shape);
  const [across, down] = size(shape);
  return element("ellipse", { cx, cy, rx: across / 2, ry: down / 2, ...painted(shape), ...turned(shape) });
}

/** @param {Shape} shape */
function disc(shape) {
  const [cx, cy] = middle(shape);
  const wide = size(shape)[0];
  const piece = element("circle", { cx, cy, r: wide / 2, ...painted(shape, 0.035) });
  const inner = { cx, cy, r: wide * 0.33, fill: "none", stroke: rim(shape), "stroke-width": 1.5, opacity: 0.45 };
  return [piece, ...(shape.text ? label(shape) : [element("circle", inner)])];
}

/** @param {Shape} shape */
function ring(shape) {
  const [cx, cy] = middle(shape);
  const wide = size(shape)[0];
  const thick = Math.max(1.5, wide * 0.12);
  const stroke = paint(colour(shape));
  return [
    element("circle", { cx, cy, r: (wide - thick) / 2, fill: "none", stroke, "stroke-width": thick }),
    ...label(shape),
  ];
}

/** @param {Shape} shape */
function text(shape) {
  const [x, y] = middle(shape);
  const [wide, high] = size(shape);
  const words = shape.text ?? "";
  const made = element("g", turned(shape));
  made.append(written(words, x, y, words.length > 1 ? wide : Math.max(wide, high), high, paint(colour(shape))));
  return [made];
}

/** @type {Record<string, (shape: Shape, symbols: Symbols) => Element[]>} */
const KINDS = {
  square: (shape) => [rectangle(shape), ...label(shape)],
  tile: (shape) => [rectangle(shape, 0.14), ...label(shape)],
  card: (shape) => [rectangle(shape, 0.1), ...label(shape, 0.42)],
  circle: (shape) => [round(shape), ...label(shape)],
  polygon: (shape) => [outline(shape.at.map(pair).join(", "), shape)],
  line: (shape) => [element("polyline", { points: shape.at.map(pair).join(", "), ...bare(shape) })],
  hexagon, curve, disc, ring, arrow, die, text, symbol,
};

/** What a shape shows of the game, as a key. @param {Shape} shape */
export const key = (shape) => (shape.element ? `${shape.domain ?? ""}\n${shape.element}${shape.owner ? `\n${shape.owner}` : ""}` : "");

/** A board as an element of SVG; each thing on it is a group with `data-key`. @param {Board} board
 *  @param {Symbols} symbols */
export function drawn(board, symbols) {
  const [left, top, wide, high] = board.box;
  const edge = 0.08;
  const made = element("svg", {
    viewBox: [left - edge, top - edge, wide + 2 * edge, high + 2 * edge].map((each) => each * UNIT).join(" "),
    role: "group", "aria-label": board.name,
  });
  for (const shape of board.shapes) {
    const group = element("g");
    const name = key(shape);
    if (name) {
      group.dataset.key = name;
      const title = element("title");
      title.textContent = shape.text ? `${shape.element}: ${shape.text}` : shape.element ?? "";
      group.append(title);
    }
    group.append(...(KINDS[shape.kind]?.(shape, symbols) ?? []));
    made.append(group);
  }
  return made;
}

/** How each thing looks: what stands on its shapes, by key. @param {Board[]} boards */
export function looks(boards) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const board of boards) {
    for (const shape of board.shapes) {
      const name = key(shape);
      if (name) found.set(name, (found.get(name) ?? "") + JSON.stringify(shape));
    }
  }
  return found;
}

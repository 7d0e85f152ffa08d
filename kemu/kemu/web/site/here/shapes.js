// @ts-check
// A picture as shapes: what a view draws, and views without a word about drawing. After kemu/render/scene/drawn.py,
// defaults.py and render/board.py.

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./picture.js").Figure} Figure */
/** @typedef {import("./picture.js").Mark} Mark */
/** @typedef {{kind: string, at: number[][], size: number[], fill: string, edge: string, text: string, turn: number, domain: string, element: string, owner: string}} Shape */

/** @type {Record<string, number[]>} */
const SIZES = {
  disc: [0.8, 0.8], ring: [0.8, 0.8], tile: [0.9, 0.9], card: [0.62, 0.88], die: [0.6, 0.6], symbol: [0.8, 0.8],
  text: [0.9, 0.34], line: [0.06, 0.06], curve: [0.06, 0.06], arrow: [0.4, 0.8],
};
const LETTERS = 4;
const BESIDE = ["seat", "note"];
const APART = 1.08, RISE = 0.22, CROWDED = 0.94;
const BARE = ["", ".", " "];
const PIECE = 0.8, LETTER = 0.62, LABEL = 0.36, MARGIN = 0.85;
const LONGEST = 12;

/** @param {string} kind @param {number[][]} at @param {Partial<Shape>} more @returns {Shape} */
const shape = (kind, at, more = {}) =>
  ({ kind, at, size: [1, 1], fill: "", edge: "", text: "", turn: 0, domain: "", element: "", owner: "", ...more });

// ------------------------------------------------------------------------------------------------ what is drawn

/** @param {Picture} picture @param {Map<string, string>} colours of players @returns {Shape[]} */
export function drawn(picture, colours) {
  const figures = picture.figures.filter((figure) => !BESIDE.includes(figure.shape))
    .map((figure) => ({ figure, at: figure.points.map((point) => placed(point, picture.ground)) }));
  /** @param {{figure: Figure, at: number[][]}} each */
  const key = ({ figure, at }) => `${figure.laid} ${at.join(" ")}`;
  /** @type {Map<string, number>} */
  const total = new Map();
  for (const each of figures) total.set(key(each), (total.get(key(each)) ?? 0) + each.figure.count);
  /** @type {Map<string, number>} */
  const lying = new Map();
  return figures.flatMap((each) => {
    const before = lying.get(key(each)) ?? 0;
    lying.set(key(each), before + each.figure.count);
    return laid(figured(each.figure, each.at, colours), each.figure, before, total.get(key(each)) ?? 0);
  });
}

/** The seats, or the notes, of a picture. @param {Picture} picture @param {string} kind */
export const beside = (picture, kind) => picture.figures.filter((figure) => figure.shape === kind);

/** @param {number[]} point @param {string} ground */
const placed = ([x, y, right, down], ground) =>
  ground === "hexes" ? [(x * Math.sqrt(3)) / 2 + right, y + x / 2 + down] : [x + right, y + down];

/** @param {Figure} figure @param {number[][]} at @param {Map<string, string>} colours @returns {Shape} */
function figured(figure, at, colours) {
  let [wide, high] = SIZES[figure.shape] ?? [1, 1];
  const [first, second] = figure.size;
  if (figure.shape === "text" && figure.size.length === 1) [wide, high] = [LETTERS * first, first];
  else if (figure.size.length) [wide, high] = [first, second ?? (high * first) / wide];
  const { shape: kind, turn, domain, element, owner } = figure;
  const text = kind === "symbol" ? figure.text : figure.text.replaceAll("_", " "); // names of things
  return shape(kind, at, { size: [wide, high], fill: colour(figure.fill, colours), edge: colour(figure.edge, colours), text, turn, domain, element, owner });
}

/** @param {string} name @param {Map<string, string>} colours */
const colour = (name, colours) => (name.startsWith("@") ? colours.get(name.slice(1)) ?? "" : name);

/** The thing as many times as it lies there. @param {Shape} one @param {Figure} figure @param {number} before @param {number} total */
function laid(one, figure, before, total) {
  if (!figure.laid) return [one];
  const [x, y] = one.at[0];
  return Array.from({ length: figure.count }, (_, at) => {
    const [right, down] = LAID[figure.laid](one, before + at, total);
    return { ...one, at: [[x + right, y + down]] };
  });
}

/** @type {Record<string, (one: Shape, number: number, total: number) => number[]>} */
const LAID = {
  row: ({ at, size: [wide, high] }, number) => {
    if (at.length === 1) return [number * APART * wide, 0];
    const [right, down] = [at[1][0] - at[0][0], at[1][1] - at[0][1]];
    const step = (number * APART * (Math.abs(right) >= Math.abs(down) ? wide : high)) / (Math.hypot(right, down) || 1);
    return [step * right, step * down];
  },
  heap: ({ size: [wide, high] }, number, total) => {
    const across = Math.ceil(Math.sqrt(total));
    const [row, column] = [Math.floor(number / across), number % across];
    const rows = Math.ceil(total / across);
    const here = row < rows - 1 ? across : total - across * (rows - 1);
    return [(column - (here - 1) / 2) * CROWDED * wide, (row - (rows - 1) / 2) * CROWDED * high];
  },
  stack: ({ size: [, high] }, number) => [0, -number * RISE * high],
};

// ------------------------------------------------------------------------------------- views without such words

/** @param {Picture} picture @param {Map<string, string>} colours @param {boolean} named whether players are called as
 *  colours are @returns {Shape[]} */
export function usual(picture, colours, named) {
  const every = picture.marks.map((mark) => {
    const sign = mark.glyph.trim();
    return { ...mark, place: `${mark.x} ${mark.y}`, sign, whose: mark.owner(), still: mark.fixed && !BARE.includes(sign) };
  });
  const top = new Map(every.map((each) => [each.place, each]));
  const ground = new Map(every.filter((each) => !each.still).reverse().map((each) => [each.place, each]));
  /** @type {Map<string | null, Set<string>>} */
  const signs = new Map();
  for (const each of every) signs.set(each.whose, (signs.get(each.whose) ?? new Set()).add(each.sign));
  const squares = [...ground.values()].sort((one, other) => one.y - other.y || one.x - other.x)
    .map(({ x, y, domain, element }) => shape("square", [[x, y]], { fill: "cell", edge: "line", domain, element }));
  const lying = [...top.values()].filter((each) => !BARE.includes(each.sign)).map((each) => {
    const { x, y, domain, element, sign, whose, still } = each;
    const own = whose === null ? "" : colours.get(whose) ?? "";
    if (whose !== null && named) {
      const alone = [...(signs.get(whose) ?? [])].filter((other) => !BARE.includes(other)).length === 1;
      return shape("disc", [[x, y]], { size: [PIECE, PIECE], fill: own, text: alone ? "" : sign, domain, element });
    }
    const fill = still ? "quiet" : whose === null ? "ink" : own;
    return shape("text", [[x, y]], { size: [PIECE, still ? LABEL : LETTER], fill, text: sign, domain, element });
  });
  return [...squares, ...lying, ...labels([...ground.values()])];
}

/** The coordinates, above and to the left. @param {Mark[]} marks @returns {Shape[]} */
function labels(marks) {
  const [columns, rows] = names(marks);
  const top = marks.reduce((least, { y }) => Math.min(least, y), marks[0]?.y ?? 0) - MARGIN;
  const left = marks.reduce((least, { x }) => Math.min(least, x), marks[0]?.x ?? 0) - MARGIN;
  const written = (/** @type {number[]} */ at, /** @type {string} */ text) =>
    shape("text", [at], { size: [0.9, LABEL], fill: "quiet", text });
  return [...[...columns].map(([x, text]) => written([x, top], text)), ...[...rows].map(([y, text]) => written([left, y], text))];
}

/** What columns and rows are called: by the names of what lies there, if these agree.
 *  @param {Mark[]} marks @returns {Map<number, string>[]} */
function names(marks) {
  const found = marks.map(({ x, y, element }) => ({ x, y, parts: element.replace(/^\((.*)\)$/, "$1").split(",").map((part) => part.trim()) }));
  const kinds = new Set(found.map((each) => each.parts.length));
  const none = [new Map(), new Map()];
  if (kinds.size !== 1) return none;
  if (kinds.has(2)) {
    for (const [first, second] of [[0, 1], [1, 0]]) {
      const columns = agreed(found.map(({ x, parts }) => [x, parts[first]]));
      const rows = agreed(found.map(({ y, parts }) => [y, parts[second]]));
      if (columns.size && rows.size) return [columns, rows];
    }
  }
  if (kinds.has(1)) {
    if (new Set(found.map(({ y }) => y)).size === 1) return [agreed(found.map(({ x, parts }) => [x, parts[0]]), 3), new Map()];
    if (new Set(found.map(({ x }) => x)).size === 1) return [new Map(), agreed(found.map(({ y, parts }) => [y, parts[0]]))];
  }
  return none;
}

/** The one label of each coordinate, different ones having different labels; nothing if there is no such thing.
 *  @param {any[][]} pairs @param {number} longest @returns {Map<number, string>} */
function agreed(pairs, longest = LONGEST) {
  const found = new Map();
  for (const [coordinate, label] of pairs) {
    if (!found.has(coordinate)) found.set(coordinate, label);
    if (found.get(coordinate) !== label || label.length > longest) return new Map();
  }
  return new Set(found.values()).size === found.size ? found : new Map();
}

// @ts-check
// Before a choice is made, each reply to it is looked at once. After kemu_engine/search/doubts.py, which says why.

import { best } from "./thought.js";

/** @typedef {import("./thought.js").Thought} Thought */
/** @typedef {import("./tree.js").Tree} Tree */

const PARTS = [0.9, 0.95]; // of all games, after which the best choice is doubted

/** What a tree says after so many games, or so many seconds, whichever comes first. @param {Tree} tree
 *  @param {{games: number, seconds: number}} asked @returns {Thought} */
export function grown(tree, { games, seconds }) {
  const began = performance.now();
  const until = (/** @type {number} */ part) => began + 1000 * part * seconds;
  let stood = null;
  for (const part of PARTS) {
    if (!tree.grow(rounded(part * games), until(part))) return tree.thought();
    stood = doubted(tree, games === Infinity ? Math.floor(tree.games / 10) : games - tree.games);
  }
  const proved = !tree.grow(games, until(1));
  const last = tree.thought();
  if (proved || stood === null || !tree.untried(best(last)).length) return last;
  const chosen = best(stood);
  return last.branches[chosen].high < stood.branches[chosen].high ? last : stood;
}

/** What a tree says after its best choice was doubted, in so many games at most; null if they are too few.
 *  @param {Tree} tree @param {number} most @returns {Thought | null} */
function doubted(tree, most) {
  const end = tree.games + most;
  for (const seen = new Set(); ;) {
    const thought = tree.thought();
    const number = best(thought);
    if (seen.has(number)) return thought;
    seen.add(number);
    const untried = tree.untried(number);
    if (tree.games + untried.length > end) return null;
    for (const reply of untried) tree.through(number, reply);
  }
}

/** To the nearest whole number, of two to the even one, as Python rounds. @param {number} number */
function rounded(number) {
  const below = Math.floor(number);
  return number - below === 0.5 ? below + (below % 2) : Math.round(number);
}

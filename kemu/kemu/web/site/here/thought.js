// @ts-check
// What a search found out, and which choice to make. After kemu_engine/search/thought.py.

/** `onward`: how whoever chooses it would go on, by numbers of choices, while it is still for him to decide.
 *  @typedef {{visits: number, value: number, low: number, high: number, onward?: number[]}} Branch */
/** @typedef {{branches: Branch[], games: number}} Thought */

/** The number of the choice to make. @param {{branches: Branch[]}} thought */
export function best({ branches }) {
  const every = branches.map((each, at) => ({ ...each, at }));
  const sure = Math.max(...branches.map((each) => each.low));
  const most = Math.max(...branches.map((each) => each.high));
  const first = (/** @type {typeof every} */ some) => some.reduce((one, other) => (other.visits > one.visits ? other : one)).at;
  const certain = every.filter((each) => each.low === sure);
  if (sure === most) return first(certain);
  const open = every.filter((each) => each.high > sure)
    .reduce((one, other) => (other.visits > one.visits || (other.visits === one.visits && other.value > one.value) ? other : one));
  return sure > Math.max(open.value, 0) ? first(certain) : open.at;
}

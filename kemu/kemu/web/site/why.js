// @ts-check
// What stands behind a step or an action: what it changed, the lines of the rules, the rulebook's statements.

import { make } from "./dom.js";

/** @typedef {{text: string, cites: string[], line: number}} Change */
/** @typedef {{line: number, text: string, doc: string}} Line */
/** @typedef {{changes: Change[], lines: Line[], statements: {number: string, text: string}[]}} Reasons */

/** @param {Reasons} found */
export function reasons(found) {
  const made = make("div", { className: "why" });
  for (const { number, text } of found.statements) made.append(make("p", {}, make("b", {}, `[${number}] `), text));
  for (const { line, text, doc } of found.lines) {
    if (doc) made.append(make("p", {}, doc));
    const code = make("pre", { tabIndex: 0 }, text);
    code.setAttribute("role", "region");
    code.setAttribute("aria-label", `line ${line} of the rules`);
    made.append(code);
  }
  if (found.changes.length) made.append(make("ul", {}, ...found.changes.map((each) => make("li", {}, changed(each)))));
  if (!made.childElementCount) made.append(make("p", {}, "The rules file says nothing more about it."));
  return made;
}

/** @param {Change} each */
function changed(each) {
  const by = each.cites.length ? each.cites.map((cite) => `[${cite}]`).join("") : each.line ? `(line ${each.line})` : "";
  return `${each.text} ${by}`.trim();
}

// @ts-check
// Elements of the page, and texts as they are shown.

export const $ = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/** @param {string} name @param {object} [more] @param {(Node | string)[]} inside */
export function make(name, more = {}, ...inside) {
  const made = Object.assign(document.createElement(name), more);
  made.append(...inside);
  return made;
}

/** @param {string} text @param {() => void} does @param {string} [kind] */
export function button(text, does, kind = "") {
  const made = make("button", { type: "button", textContent: text, className: kind });
  made.addEventListener("click", does);
  return made;
}

export const plain = (/** @type {string} */ name) => name.replaceAll("_", " ");

/** An action or outcome as one reads it: `move((1, 2), (1, 3))` is `move (1, 2), (1, 3)`. @param {string} text */
export function spoken(text) {
  const parts = /^(\w+)\((.*)\)$/.exec(text);
  return plain(parts ? `${parts[1]} ${parts[2]}` : text);
}

// @ts-check
// From legal actions to one of them, in steps: what is picked next, on the board or from a menu.

/** @typedef {{name: string, args: string[], text: string}} Action */
/** @typedef {{action: string, parameter: string, domains: string[]}} Pick */

export class Picking {
  /** @param {Action[]} actions @param {Record<string, string[]>} parameters @param {Pick[]} picks */
  constructor(actions, parameters, picks) {
    this.actions = actions;
    this.parameters = parameters;
    /** @type {Map<string, string[]>} */
    this.where = new Map(picks.map((each) => [`${each.action}\n${each.parameter}`, each.domains]));
    this.name = "";
    /** @type {string[]} */
    this.chosen = [];
    /** @type {string[]} */
    this.keys = [];
    this.left = actions;
  }

  /** From the beginning. */
  back() {
    [this.name, this.chosen, this.keys, this.left] = ["", [], [], this.actions];
  }

  get begun() {
    return this.name !== "" || this.chosen.length > 0;
  }

  /** The domains on whose things the next argument of an action is picked. @param {Action} action */
  domains(action) {
    const parameter = this.parameters[action.name]?.[this.chosen.length];
    return this.where.get(`${action.name}\n${parameter}`) ?? [];
  }

  /** What can be picked on the board now, by the keys of scene.js: the actions that go on there.
   *  @param {Set<string>} there keys of what the board shows @param {string} player who picks: what is shown for
   *  several players each picks where it is shown for him */
  places(there, player = "") {
    /** @type {Map<string, Action[]>} */
    const found = new Map();
    for (const action of this.left) {
      const next = action.args[this.chosen.length];
      if (next === undefined) continue;
      for (const domain of this.domains(action)) {
        const shared = `${domain}\n${next}`;
        const key = there.has(`${shared}\n${player}`) ? `${shared}\n${player}` : shared;
        if (there.has(key)) found.set(key, [...(found.get(key) ?? []), action]);
      }
    }
    return found;
  }

  /** The actions that need nothing more. */
  whole() {
    return this.left.filter((action) => action.args.length === this.chosen.length);
  }

  /** The names of actions, if there are several. */
  names() {
    return [...new Set(this.left.map((action) => action.name))];
  }

  /** The next arguments that the board does not show. @param {Set<string>} there @param {string} player */
  values(there, player = "") {
    const at = this.chosen.length;
    const away = this.left.filter((action) => {
      const next = action.args[at];
      return next !== undefined && !this.domains(action).some((domain) =>
        there.has(`${domain}\n${next}`) || there.has(`${domain}\n${next}\n${player}`));
    });
    return [...new Set(away.map((action) => action.args[at]))];
  }

  /** @param {string} name */
  named(name) {
    this.name = name;
    this.left = this.left.filter((action) => action.name === name);
  }

  /** Takes the next argument. @param {string} value @param {Action[]} left @param {string} [key] */
  take(value, left, key = "") {
    this.chosen.push(value);
    this.keys.push(key);
    this.left = left;
  }
}

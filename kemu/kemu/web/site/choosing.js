// @ts-check
// Choosing a game, its options, and who plays.

import { $, make, plain } from "./dom.js";

export const WORDS = /** @type {Record<string, string>} */ ({
  human: "a person, here", guest: "somebody by a link", random: "plays at random", "mcts:100": "thinks a little (100 games)",
  "mcts:1000": "thinks (1000 games)", "mcts:10000": "thinks hard (10000 games)", "mcts:1s": "thinks for a second",
  "mcts:5s": "thinks for five seconds",
});

export class Choosing {
  /** @param {{ask: (what: string, message?: object) => Promise<any>}} source
   *  @param {(what: () => Promise<void>, words: string) => void} attempt */
  constructor(source, attempt) {
    this.source = source;
    this.attempt = attempt;
    /** @type {Record<string, string>} */
    this.seats = {};
  }

  get title() {
    return $("game").selectedOptions[0]?.text ?? "the game";
  }

  /** What is chosen, as the message `new` has it. */
  get chosen() {
    return { game: $("game").value, settings: this.settings(), seats: this.seats };
  }

  async open() {
    if (!$("game").options.length) {
      const { games, chosen } = await this.source.ask("games");
      for (const name of games) {
        const title = plain(name.split("/").pop() ?? name).replaceAll("-", " ");
        $("game").append(new Option(title, name, false, name === chosen));
      }
    }
    await this.described();
  }

  async described() {
    $("begin").disabled = true;
    const about = await this.source.ask("about", { game: $("game").value });
    $("about").textContent = about.doc.split(/(?<=[a-z]\.) /)[0];
    $("options").replaceChildren(...about.options.map((/** @type {any} */ each) => this.option(each)));
    $("more").hidden = !about.options.length;
    this.seats = {};
    await this.seated();
  }

  /** A choice among the values of an option. @param {any} each */
  option(each) {
    const usual = each.default ? each.default : "as the rules say";
    let field;
    if (each.values.length) {
      field = make("select");
      field.append(new Option(plain(usual), ""));
      for (const value of each.values) if (value !== each.default) field.append(new Option(plain(value), value));
    } else {
      field = make("input", { placeholder: usual, inputMode: "numeric" });
    }
    field.dataset.option = each.name;
    field.addEventListener("change", () => this.attempt(() => this.seated(), "Setting up the table …"));
    const words = make("span", {}, each.text || plain(each.name));
    if (each.text) words.append(make("small", {}, ` ${plain(each.name)}`));
    return make("label", {}, words, field);
  }

  settings() {
    const fields = [...$("options").querySelectorAll("[data-option]")];
    return Object.fromEntries(fields.filter((each) => each.value).map((each) => [each.dataset.option, each.value]));
  }

  async seated() {
    const { players, kinds, note } = await this.source.ask("table", { game: $("game").value, settings: this.settings() });
    const usual = kinds.includes("guest") ? "guest" : kinds.includes("mcts:1000") ? "mcts:1000" : "random";
    this.seats = Object.fromEntries(players.map((/** @type {string} */ player, /** @type {number} */ at) =>
      [player, this.seats[player] ?? (at ? usual : "human")]));
    const rows = players.map((/** @type {string} */ player) => {
      const field = document.createElement("select");
      for (const kind of kinds) field.append(new Option(WORDS[kind] ?? kind, kind, false, kind === this.seats[player]));
      field.addEventListener("change", () => { this.seats[player] = field.value; });
      return make("label", {}, make("span", {}, plain(player)), field);
    });
    if (note) rows.push(make("small", {}, note));
    $("seats").replaceChildren($("seats").firstElementChild, ...rows);
    $("begin").disabled = false;
  }
}

// @ts-check
// Where a game's positions come from. The page knows only what a source has: ask(what, message) gives the
// answer, or throws an Error whose message is for people. kemu/web/README.md describes the messages.

/** The local server. */
class Server {
  /** @param {string} what @param {object} message @returns {Promise<any>} */
  async ask(what, message = {}) {
    let answer;
    try {
      answer = await fetch(`/do/${what}`, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(message),
      });
    } catch {
      throw new Error("The table is not there any more: start `kemu table` again, then load a saved game.");
    }
    let found;
    try {
      found = await answer.json();
    } catch {
      throw new Error("The table gave no answer; its terminal may say why.");
    }
    if (!answer.ok) throw new Error(found.error ?? "This cannot be done.");
    return found;
  }

  /** Colours and symbols. @returns {Promise<any>} */
  async drawing() {
    return (await fetch("/drawing.json")).json();
  }
}

export const source = new Server();

// What the exported page makes of random games: `node reader.mjs PAGE`, where the modules of the page are. For each line
// of input {file, phrases, seed, most, binary, search} a line of output: what the page is told before each of so many
// steps, the fault if there is one, and what a search of `search.games` random games found out after `search.at` steps.
// Files are JSON, packed or not; a binary is packed.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const modules = ["values", "machine", "picture", "session", "search", "thought"];
const [{ Fault }, { Machine }, { Views }, { Session }, { job, searched, turn }, { best }] = await Promise.all(
  modules.map((name) => import(pathToFileURL(`${process.argv[2]}/${name}.js`).href)));

const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value);

async function thought(session, binary, games) {
  const { instance } = await WebAssembly.instantiate(gunzipSync(readFileSync(binary)));
  const { layout } = session.machine.data;
  const asked = { seed: session.seed, number: session.steps.length, games };
  const found = searched(instance.exports, job(session.machine, layout, session.stop, asked));
  const numbers = [best(found), ...found.branches[best(found)].onward];
  const onward = turn(session.machine, session.stop, numbers).slice(1);
  return { best: best(found), visits: found.branches.map((each) => each.visits), games: found.games, onward };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, binary, phrases, seed, most, search } = JSON.parse(line);
  const data = JSON.parse(file.endsWith(".json") ? readFileSync(file) : gunzipSync(readFileSync(file)));
  const machine = new Machine(data);
  const seats = Object.fromEntries(machine.players.map((player) => [player, "human"]));
  const told = [];
  let [fault, thoughts] = ["", null];
  try {
    const session = new Session({ machine, views: new Views(machine), data }, seats, seed, phrases);
    for (let step = 0; step <= most; step += 1) {
      if (session.handsOver) session.viewer = session.handsOver;
      const why = session.waits ? session.why() : null;
      told.push({ ...session.message(), moves: machine.moves(session.stop).map((each) => each.text), why });
      if (session.over) break;
      if (step === search?.at && session.decides) thoughts = await thought(session, binary, search.games);
      session.apply(session.drawn());
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    fault = error.message;
  }
  console.log(JSON.stringify({ told, fault, thoughts }, plain));
}

// What the exported page's reader of rules makes of random games: `node reader.mjs SITE MOST < asked.json`. For each
// line of input {program, phrases, seed} a line of output: what the page is told before every step.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , site, most] = process.argv;
const at = (name) => import(pathToFileURL(`${site}/here/${name}.js`).href);
const [{ Fault }, { Machine }, { Views }, { Session }] = await Promise.all(["kernel", "machine", "picture", "session"].map(at));
const { best, job, searched } = await at("search");

/** Large numbers as numbers: what is told holds none that matter. */
const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value);

async function thought(session, binary) {
  const { instance } = await WebAssembly.instantiate(binary);
  const { layout } = session.machine.data;
  const found = searched(instance.exports, job(session.machine, layout, session.stop, { seed: session.seed, number: session.steps.length, games: 60 }));
  return { best: best(found), visits: found.branches.map((each) => each.visits), games: found.games };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { program, search, phrases, seed } = JSON.parse(line);
  const data = JSON.parse(gunzipSync(readFileSync(`${site}/${program}`)));
  const binary = search ? gunzipSync(readFileSync(`${site}/${search}`)) : null;
  const machine = new Machine(data);
  const seats = Object.fromEntries(machine.players.map((player) => [player, "human"]));
  const told = [];
  let fault = "";
  let thoughts = null;
  try {
    const session = new Session({ machine, views: new Views(machine), data }, seats, seed, phrases);
    for (let step = 0; step <= Number(most); step += 1) {
      if (session.handsOver) session.viewer = session.handsOver;
      told.push({ ...session.message(), moves: machine.moves(session.stop).map((each) => each.text) });
      if (session.over) break;
      if (binary && step === 2 && session.decides) thoughts = await thought(session, binary);
      session.apply(session.drawn());
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    fault = error.message;
  }
  console.log(JSON.stringify({ told, fault, thoughts }, plain));
}

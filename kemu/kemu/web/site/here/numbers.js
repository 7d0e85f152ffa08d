// @ts-check
// Random numbers by counting, and what chance and random players draw: the same as kemu_engine/kernel/rng.py and
// draws.py, number for number.

const WORD = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;
const FEW = 64;
const SPARSE = 4;
export const CHANCE = 0, PLAYERS = 1;

/** @param {bigint} z */
function mix(z) {
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return z ^ (z >> 31n);
}

/** The odd factor of a word of a snapshot, by which the module tells snapshots apart. @param {number} number */
export const odd = (number) => mix(BigInt(number) + 1n) | 1n;

export class Stream {
  /** @param {number | bigint} seed @param {number} game @param {number} stream */
  constructor(seed, game, stream) {
    this.draws = 0n;
    this.key = 0n;
    for (const part of [seed, game, stream]) this.key = mix(((this.key ^ (BigInt(part) & WORD)) + GOLDEN) & WORD);
  }

  half() {
    this.draws += 1n;
    return mix((this.key + this.draws * GOLDEN) & WORD) >> 32n;
  }

  /** A number below the limit. @param {bigint} limit */
  below(limit) {
    if (limit <= 1n << 32n) {
      for (;;) {
        const product = this.half() * limit;
        const rest = product & 0xffffffffn;
        if (rest >= limit || rest >= (1n << 32n) % limit) return product >> 32n;
      }
    }
    const rejected = (WORD + 1n - limit) % limit;
    for (;;) {
      const word = (this.half() << 32n) | this.half();
      if (word >= rejected) return word % limit;
    }
  }

  /** The index of a choice, as likely as its weight says. @param {bigint[]} weights */
  pick(weights) {
    let ticket = this.below(weights.reduce((sum, each) => sum + each, 0n));
    for (let at = 0; ; at += 1) {
      if (ticket < weights[at]) return at;
      ticket -= weights[at];
    }
  }
}

/** What chance or a random player does: the index of a choice. `values`: how many values the only parameter of the
 *  only action has there, 0 if there are more of either.
 *  @param {{chance: boolean, choices: {values: number[], weight: any}[], values: number}} stop
 *  @param {number} seed @param {number} step */
export function drawn({ chance, choices, values }, seed, step) {
  if (chance) return new Stream(seed, step, CHANCE).pick(choices.map((each) => BigInt(each.weight)));
  const players = new Stream(seed, step, PLAYERS);
  if (values <= FEW || choices.length < Math.ceil(values / SPARSE)) return Number(players.below(BigInt(choices.length)));
  const legal = new Map(choices.map((each, at) => [each.values[0], at]));
  for (;;) {
    const at = legal.get(Number(players.below(BigInt(values))));
    if (at !== undefined) return at;
  }
}

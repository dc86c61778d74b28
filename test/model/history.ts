import { type Random, seeded } from '../support/seeded.ts';
import { startLanguageServer } from '../support/language-servers.ts';
import type { HasEnd } from '../support/temp-dir.ts';
import { checkGone, checkTalk } from './checks.ts';
import { type Store, openDoor } from './door.ts';
import type { Operation } from './at.ts';
import * as operations from './operations.ts';
import * as talking from './talking.ts';
import { emptyWorld } from './talks.ts';

/** How often of all. */
const chances: readonly (readonly [Operation, number])[] = [
  [talking.upload, 2],
  [talking.record, 2],
  [talking.continueIt, 2],
  [operations.note, 3],
  [operations.correct, 3],
  [operations.editLine, 4],
  [operations.rename, 2],
  [operations.entitle, 1],
  [operations.cutIt, 3],
  [operations.joinThem, 3],
  [operations.removeSome, 3],
  [operations.erase, 1],
  [talking.reprocess, 2],
  [operations.changeTurns, 3],
  [operations.restore, 2],
  [operations.kill, 1],
];
const killedOf = 0.35;
const killedWithinMs = [40, 300, 1500] as const;
/** Numbers of audio that one operation has for itself. */
const numbersEach = 14;
const firstNumber = 1000;

const operationOf = (random: Random): Operation => {
  const all = chances.flatMap(([operation, times]) =>
    Array.from({ length: times }, () => operation),
  );
  return random.pick(all);
};

/**
 * What people did by turns, on a service that is killed meanwhile; each operation has randomness of its own, so that others
 * may be left out.
 * @param without operations that are left out
 * @throws {Error} what is not as the model says, after the list of what was done
 */
export async function runHistory(
  t: HasEnd,
  {
    store,
    seed,
    length,
    without = new Set(),
  }: { store: Store; seed: number; length: number; without?: ReadonlySet<number> },
): Promise<void> {
  const world = emptyWorld();
  const told: string[] = [];
  const languageModel = seed % 2 === 0 ? await asked(t) : null;
  const door = await openDoor(t, { store, name: `${seed}`, languageModel });
  try {
    for (let index = 0; index < length; index += 1) {
      if (without.has(index)) continue;
      const random = seeded(seed * 1000 + index);
      const operation = index < 2 ? talking.upload : operationOf(random);
      const number = firstNumber + index * numbersEach;
      const tell = (what: string) => void told.push(`${index}: ${what}`);
      if (random.chance(killedOf)) {
        const milliseconds = random.below(random.pick(killedWithinMs));
        tell(`killed ${milliseconds} ms after the next command`);
        door.plan(milliseconds);
      }
      if (!(await operation({ door, world, random, index, number, tell }))) continue;
      await door.whole();
      for (const talk of world.talks.values()) {
        const { version } = await checkTalk(door, talk);
        const versions = new Map(talk.versions).set(version, talk);
        world.talks.set(talk.id, { ...talk, versions });
      }
      if (index % 3 === 2 || index === length - 1)
        await checkGone(door, world, { random, quotes: languageModel !== null });
    }
  } catch (error) {
    const why = (error as Error).message;
    const list = told.map((line) => `  ${line}`).join('\n');
    const said = door.logged().slice(-5).join('\n');
    throw new Error(`${why}\nhistory ${seed} on ${store}:\n${list}\n${said}`, { cause: error });
  }
}

/** A stand-in of a language model, which quotes what it is given in summaries and titles. */
async function asked(t: HasEnd): Promise<string> {
  const server = await startLanguageServer({ flavour: 'openai' });
  t.after(() => server.close());
  return server.url;
}

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoggedFact } from '../../events/facts/catalogue.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';

export type WriterOptions = {
  root: string;
  /** Which life of the writer on these files it is, from 1: commands are named after it. */
  life: number;
  seed: number;
  /** How many write at once, each to a stream of its own, and how often. */
  writers: number;
  appends: number;
  /** Size of what a fact says; 40 000 fills LevelDB's write buffer (4 MiB) within a life. */
  bytes: number;
};

/** What the writer prints. `offered` and `forgetting` come before, the others after it is done. */
export type Line =
  | { open: number; state: string }
  | { offered: string; stream: string; count: number }
  | { stored: string; stream: string; facts: [position: number, fingerprint: string][] }
  | { failed: string; code: string }
  | { forgetting: string }
  | { forgotten: string }
  | { document: string; sha256: string }
  | { done: number; damages: number }
  | { refused: string; message: string };

/** Everything about a fact that has to stay as it was. */
export const fingerprint = (fact: LoggedFact): string =>
  createHash('sha256')
    .update(JSON.stringify([fact.id, fact.stream, fact.version, fact.at, fact.command, fact.data]))
    .update(JSON.stringify([fact.type, fact.content ?? null]))
    .digest('hex');

/** Everything a writer was told over its lives on the same files. */
export type Told = { lines: Line[] };

/**
 * Opens what the writer left and compares it with what it had been told: all that was acknowledged is
 * there, in order, once; what was not is there whole or not at all; what was forgotten stays so.
 * @throws {AssertionError} at the first difference
 */
export async function checkKept(root: string, { lines }: Told): Promise<{ facts: number }> {
  const keys = await openFileKeys(join(root, 'keys'));
  const log = await openLog({ directory: join(root, 'log'), keys, verifiedPosition: 0 });
  try {
    assert.deepEqual(log.health(), { state: 'ok', damage: [], more: 0 });
    const erased = new Set((await keys.erasures()).map(({ subject }) => subject));
    const facts: LoggedFact[] = [];
    const versions = new Map<string, number>();
    const byCommand = new Map<string, LoggedFact[]>();
    for await (const fact of log.readAll()) {
      facts.push(fact);
      assert.equal(fact.position, facts.length);
      assert.ok(facts.length === 1 || facts.at(-2)!.id < fact.id, 'ids are in order');
      assert.equal(fact.version, (versions.get(fact.stream) ?? 0) + 1);
      versions.set(fact.stream, fact.version);
      byCommand.set(fact.command, [...(byCommand.get(fact.command) ?? []), fact]);
    }
    for (const [stream, version] of versions) {
      let read = 0;
      for await (const fact of log.read(stream)) {
        read += 1;
        assert.deepEqual(fact, facts[fact.position - 1]);
      }
      assert.equal(read, version);
    }
    const begun = new Set(lines.flatMap((line) => ('forgetting' in line ? [line.forgetting] : [])));
    for (const subject of erased) assert.ok(begun.has(subject), `${subject} was not to be erased`);
    for (const line of lines) {
      if ('offered' in line) {
        const found = byCommand.get(line.offered) ?? [];
        assert.ok(
          [0, line.count].includes(found.length),
          `${line.offered} is half there, or twice`,
        );
      } else if ('stored' in line) {
        const found = byCommand.get(line.stored) ?? [];
        assert.deepEqual(
          found.map(({ position }) => position),
          line.facts.map(([position]) => position),
          `${line.stored} was acknowledged`,
        );
        for (const [index, fact] of found.entries()) {
          if (fact.erased) assert.ok(erased.has(String(fact.subject)));
          else assert.equal(fingerprint(fact), line.facts[index]![1]);
        }
      } else if ('forgotten' in line) {
        assert.equal(await keys.find(line.forgotten), 'erased');
        await assert.rejects(access(join(root, 'keys', line.forgotten)), { code: 'ENOENT' });
      } else if ('document' in line) {
        const sha256 = createHash('sha256').update(await readFile(join(root, line.document)));
        assert.equal(sha256.digest('hex'), line.sha256, line.document);
      }
    }
    assert.equal((await log.verify({ contents: true })).damages, 0);
    return { facts: facts.length };
  } finally {
    await log.close();
  }
}

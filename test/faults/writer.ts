/*
 * A process that does nothing but write: facts of several streams at once, keys, erasures, documents,
 * through the product's own functions, and prints a line for everything it offers and everything that
 * was acknowledged. `run-writer.ts` starts it and breaks what is under it; `told.ts` compares.
 */
import { createHash, hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { OfferedFact } from '../../events/facts/catalogue.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { EventStoreError } from '../../events/store.ts';
import { openSpace } from '../../src/documents/space.ts';
import { writeDocuments } from '../../src/documents/write.ts';
import { StageError } from '../../src/shared/errors.ts';
import { sampleFact } from '../support/sample-facts.ts';
import { seeded } from '../support/seeded.ts';
import { type Line, type WriterOptions, fingerprint } from './told.ts';

/** How often the same is offered again before the writer gives up and says why, and the pause before it. */
const triesMax = 80;
const pauseMs = 25;
/** A stream of its own that is forgotten again, and three documents, after so many appends. */
const forgetEvery = 9;
const documentsEvery = 7;

process.umask(0o077);
const options = JSON.parse(process.argv[2]!) as WriterOptions;
const { root, life, seed } = options;
// In one piece and at once: what was printed has been acknowledged, even if the next thing is the end.
const say = (line: Line) => writeSync(1, `${JSON.stringify(line)}\n`);
try {
  await mkdir(root, { recursive: true });
  const keys = await openFileKeys(join(root, 'keys'));
  const log = await openLog({ directory: join(root, 'log'), keys, verifiedPosition: 0 });
  say({ open: await log.head(), state: log.health().state });
  const space = await openSpace(root, 'anna');

  const insist = async <T>(command: string, work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (!isTransient(error) || tries === triesMax) throw error;
        say({ failed: command, code: String((error as { code?: unknown }).code) });
        await pause(pauseMs);
        for (let looks = 0; log.health().state === 'recovering'; looks += 1) {
          if (looks === triesMax) throw error;
          await pause(pauseMs);
        }
      }
    }
  };

  const append = async (stream: string, facts: OfferedFact[], command: string): Promise<void> => {
    say({ offered: command, stream, count: facts.length });
    const stored = await insist(command, async () => {
      const found = [];
      for await (const fact of log.read(stream)) if (fact.command === command) found.push(fact);
      if (found.length > 0) return found;
      return await log.append(stream, facts, await log.version(stream));
    });
    say({
      stored: command,
      stream,
      facts: stored.map((fact) => [fact.position, fingerprint(fact)]),
    });
  };

  const writer = async (number: number): Promise<void> => {
    const random = seeded(seed * 1000 + life * 31 + number);
    const text = () =>
      Array.from({ length: Math.ceil(options.bytes / 10) }, () => random.next().toString(36)).join(
        ' ',
      );
    for (let turn = 1; turn <= options.appends; turn += 1) {
      const command = `c${life}-${number}-${turn}`;
      const subject = `w${number}`;
      const count = 1 + random.below(3);
      const facts = Array.from({ length: count }, () => spoken(subject, command, text()));
      await append(`recording-${subject}`, facts, command);
      if (turn % forgetEvery === 0) {
        const doomed = `x${life}-${number}-${turn}`;
        await append(`recording-${doomed}`, [spoken(doomed, doomed, text())], doomed);
        say({ forgetting: doomed });
        await insist(doomed, () => keys.forget(doomed));
        say({ forgotten: doomed });
      }
      if (turn % documentsEvery === 0) {
        const base = `notes ${command}`;
        const contents = { index: text(), transcript: text(), summary: text() };
        const paths = {
          index: `${base}.md`,
          transcript: `a/${base} t.md`,
          summary: `a/${base} s.md`,
        };
        await insist(base, () => writeDocuments(space, paths, contents, null));
        for (const name of ['index', 'transcript', 'summary'] as const) {
          const sha256 = hash('sha256', contents[name], 'hex');
          say({ document: join('spaces', 'anna', paths[name]), sha256 });
        }
      }
    }
  };
  await Promise.all(Array.from({ length: options.writers }, (_, number) => writer(number)));
  const { damages } = await log.verify({ contents: true });
  await log.close();
  say({ done: await log.head(), damages });
} catch (error) {
  // Not able to serve is allowed; not saying why is not.
  const { code, message } = error as { code?: unknown; message: string };
  say({ refused: String(code), message });
  // The log goes on trying to open its files again.
  process.exit(3);
}

function spoken(subject: string, command: string, abstract: string): OfferedFact {
  const content = { title: createHash('sha256').update(abstract).digest('hex'), abstract };
  return { ...sampleFact('title.chosen', subject, command), content } as OfferedFact;
}

/** What may be over in a moment: the log says so itself, the rest by the code of the system. */
function isTransient(error: unknown): boolean {
  if (error instanceof EventStoreError || error instanceof StageError) return error.retriable;
  return ['EIO', 'ENOSPC'].includes(String((error as { code?: unknown }).code));
}

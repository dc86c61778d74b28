import pino from 'pino';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoggedFact, OfferedFact } from '../../events/facts/catalogue.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { hostFrom } from '../../src/shared/data-directory.ts';
import { openLogOf } from '../../src/service/open-log.ts';
import type { Cluster } from '../support/postgres.ts';
import { apiOf, firstAdmin } from '../support/service-process.ts';
import { type Asked, afterChanges, kept, textOf } from './answer-cost.ts';
import { builtService, untilAnswered } from './built-service.ts';
import { nodeEnv } from './cluster-work.ts';
import { fillLibrary } from './library.ts';
import { type Measured, countFrom } from './measure.ts';

const transcripts = countFrom('BENCH_CLUSTER_TRANSCRIPTS', 1000);
const together = 20;

/** Processor time of one answer at a `serve` node, beside a `work` node, and of the same service alone on LevelDB. */
export async function* answering(cluster: Cluster): AsyncGenerator<Measured> {
  await cluster.empty();
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-answers-'));
  const [alone, shared] = [join(root, 'alone'), join(root, 'shared')];
  const service = await builtService();
  const running: Awaited<ReturnType<typeof service.start>>[] = [];
  try {
    const { token, recordingIds } = await fillLibrary(service, alone, transcripts);
    await copied(alone, nodeEnv(cluster, shared, 'copy', 'all'));
    // The rows are kept up by the one that works.
    for (const [folder, env] of [
      [alone, {}],
      [join(shared, 'work'), nodeEnv(cluster, shared, 'work', 'work')],
      [join(shared, 'serve'), nodeEnv(cluster, shared, 'serve', 'serve')],
    ] as const) {
      running.push(await service.start(folder, env));
    }
    const [level, , node] = running;
    const login = await apiOf(node!.url).post<{ token: string }>('/login', firstAdmin);
    const asked = (server: { url: string; pid: number }, as: string): Asked => ({
      ...server,
      headers: { authorization: `Bearer ${as}` },
      recordingIds,
    });
    const [ours, bare] = [asked(node!, login.token), asked(level!, token)];
    await Promise.all(
      [ours, bare].map(({ url, headers }) =>
        untilAnswered(url, '/transcripts', headers['authorization']!.slice('Bearer '.length)),
      ),
    );
    for (const path of ['/status', '/transcripts']) {
      const size = `${((await textOf(ours, path)).length / 1024).toFixed(1)} KB`;
      const name = `\`GET ${path}\`, ${size}, at a serve node against the same alone on LevelDB`;
      const both = { ours, bare, path, aim: '' };
      yield await kept({ ...both, what: `${name}: kept answers` });
      yield await afterChanges({ ...both, what: `${name}: each after a change` });
    }
  } finally {
    for (const one of running) await one.end();
    await rm(root, { recursive: true, force: true });
  }
}

/** Puts the facts of a data directory into the database; users, settings and recordings are the same then. */
async function copied(from: string, env: Record<string, string>): Promise<void> {
  const { data, cluster } = hostFrom(env);
  const log = pino({ level: 'silent' });
  const source = await openLog({
    directory: join(from, 'log'),
    keys: await openFileKeys(join(from, 'keys')),
  });
  const target = await openLogOf({ host: { data, cluster }, log });
  const streams = new Map<string, LoggedFact[]>();
  for await (const fact of source.readAll()) {
    streams.set(fact.stream, [...(streams.get(fact.stream) ?? []), fact]);
  }
  const all = [...streams];
  for (let first = 0; first < all.length; first += together) {
    await Promise.all(
      all.slice(first, first + together).map(async ([stream, facts]) => {
        await target.store.append(stream, facts.map(offeredAgain), 0);
      }),
    );
  }
  await source.close();
  await target.close();
}

/** Place, id and time are given again. */
function offeredAgain(fact: LoggedFact): OfferedFact {
  const {
    id: _id,
    position: _position,
    stream: _stream,
    version: _version,
    at: _at,
    ...offered
  } = fact;
  return offered;
}

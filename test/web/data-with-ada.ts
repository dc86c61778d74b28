/**
 * Data of a service with one user: made once a run, and copied for each test, since a start of the service and two
 * answers about a password take two seconds of the processor.
 */
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiOf, startServiceProcess } from '../support/service-process.ts';

export const password = 'correct horse battery';
export type Session = { token: string; username: string; is_admin: boolean };

let made: Promise<{ folder: string; session: Session }> | undefined;

/** Puts it into an empty folder. @returns a session of the administrator `ada` */
export async function copyWithAda(dataDir: string): Promise<Session> {
  made ??= makeOnce();
  const { folder, session } = await made;
  // Space that a service keeps for when the disk is full: it takes its own.
  const filter = (path: string) => !path.endsWith('/data/reserve');
  await cp(join(folder, 'data'), dataDir, { recursive: true, filter });
  return session;
}

/** Beside the programs of a run, whichever of its files comes first. */
async function makeOnce() {
  const run = process.env['TEST_PROGRAMS'] ?? (await mkdtemp(join(tmpdir(), 'mitschrift-ada-')));
  const folder = join(run, 'data-with-ada');
  const read = async () => {
    const text = await readFile(join(folder, 'session.json'), 'utf8');
    return { folder, session: JSON.parse(text) as Session };
  };
  return await read().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await make(folder);
    return await read();
  });
}

async function make(folder: string): Promise<void> {
  const mine = await mkdtemp(`${folder}-`);
  const service = await startServiceProcess(join(mine, 'data'));
  const api = apiOf(service.url);
  await api.post<Session>('/setup', { username: 'ada', password });
  const session = await api.post<Session>('/login', { username: 'ada', password });
  await service.end('SIGTERM');
  await writeFile(join(mine, 'session.json'), JSON.stringify(session));
  await rename(mine, folder).catch(async (error: NodeJS.ErrnoException) => {
    // Another file was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(mine, { recursive: true });
  });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Asked, afterChanges, kept, textOf } from './answer-cost.ts';
import { builtService, untilAnswered } from './built-service.ts';
import { messageWith, startChild } from './child-server.ts';
import { fillLibrary } from './library.ts';
import type { Measured } from './measure.ts';

export const about = 'what an answer costs the server, kept or after a change, against bare Koa';
export const throughBuild = true;

const transcripts = 1000;
const aim = '≥ 0.6';

/**
 * Against Koa with its router answering a constant of the same size, by the server's own processor time:
 * it does not depend on who else keeps the machine busy.
 */
export async function* bench(): AsyncIterable<Measured> {
  const root = await mkdtemp(join(tmpdir(), 'mitschrift-bench-'));
  const child = startChild('bare-http');
  const { url } = await messageWith<{ url: string }>(child, 'url');
  const bare: Asked = { url, pid: child.pid!, headers: {} };
  const service = await builtService();
  const { token, recordingIds } = await fillLibrary(service, root, transcripts);
  const running = await service.start(root, { MITSCHRIFT_LOG_LEVEL: 'info' });
  const ours: Asked = { ...running, headers: { authorization: `Bearer ${token}` }, recordingIds };
  try {
    await untilAnswered(running.url, '/transcripts', token);
    for (const path of ['/status', '/transcripts']) {
      const body = await textOf(ours, path);
      child.send({ path, body });
      await messageWith(child, 'set');
      const size = `${(body.length / 1024).toFixed(1)} KB`;
      const name = `\`GET ${path}\`, ${size}`;
      const both = { ours, bare, path };
      yield await kept({
        ...both,
        what: `${name}, kept answers, against bare Koa answering a constant`,
        aim,
      });
      yield await afterChanges({
        ...both,
        what: `${name}, each after a change, against bare Koa as seldom`,
        aim: '',
      });
    }
  } finally {
    child.kill();
    await running.end();
    await rm(root, { recursive: true, force: true });
  }
}

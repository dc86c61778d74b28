import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startFfmpeg } from '../../src/audio/run-ffmpeg.ts';
import { wordFileAside } from '../../src/export/word-file-aside.ts';
import { apart } from '../../src/shared/apart.ts';
import { unpack } from '../../src/speech/catalogue/unpack.ts';
import { localProcess } from '../../src/speech/local/local-process.ts';
import { eventually } from '../support/eventually.ts';
import { tempDir } from '../support/temp-dir.ts';
import { talkInput } from '../support/talk-input.ts';

const { signal } = new AbortController();
process.env['MITSCHRIFT_MASTER_KEY'] = 'not for programs that read what strangers sent';
process.env['LANG'] = 'C.UTF-8';

/** Names in the environment of a process of ours, as the kernel has them, and whether it has a network of its own. */
async function given(pid: number): Promise<{ names: string[]; isApart: boolean }> {
  const [environment, network, own] = await Promise.all([
    readFile(`/proc/${pid}/environ`, 'utf8'),
    readlink(`/proc/${pid}/ns/net`),
    readlink('/proc/self/ns/net'),
  ]);
  const names = environment.split('\0').filter(Boolean);
  return {
    names: names.map((entry) => entry.split('=', 1)[0]!).toSorted(),
    isApart: network !== own,
  };
}

/** Children of this process that run a program by now, and not still the command before it. */
async function children(): Promise<{ pid: number; command: string }[]> {
  const pids = (await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')).trim();
  const numbers = pids === '' ? [] : pids.split(' ').map(Number);
  const commands = numbers.map(async (pid) => {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return { pid, command: line.replaceAll('\0', ' ') };
  });
  return await Promise.all(commands);
}

async function running(what: RegExp): Promise<number> {
  return await eventually(
    `${what} runs`,
    async () =>
      (await children()).find(
        ({ command }) => what.test(command) && !/^(?:unshare|prlimit) /.test(command),
      )?.pid,
  );
}

const toFork = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'];

test('programs that read what strangers sent have PATH and LANG alone, and no network where that can be had', async (t) => {
  const isApart = (await apart()).length > 0;
  t.diagnostic(isApart ? 'with networks of their own' : 'networks cannot be taken away here');

  const ffmpeg = await startFfmpeg(['-re', '-f', 'lavfi', '-i', 'anullsrc', '-f', 'null', '-'], {
    secondsMax: 60,
  });
  const pid = await running(/^ffmpeg /);
  assert.deepEqual(await given(pid), { names: ['LANG', 'PATH'], isApart });
  ffmpeg.kill('SIGKILL');

  const folder = await tempDir(t);
  const archive = join(folder, 'model.tar.bz2');
  execFileSync('mkfifo', [archive]);
  const source = createWriteStream(archive);
  const unpacked = unpack(archive, join(folder, 'out'), {
    wanted: () => true,
    bytesMax: 1000,
    signal,
  }).catch((error: unknown) => error);
  const bzip2 = await given(await running(/^bzip2 /));
  source.end();
  assert.deepEqual(bzip2, { names: ['LANG', 'PATH'], isApart: false }, 'it gets a pipe alone');
  assert.ok((await unpacked) instanceof Error, 'of nothing nothing is unpacked');

  const recogniser = localProcess();
  t.after(() => recogniser.close());
  const nothing = { op: 'detect', config: {}, path: join(folder, 'nothing.wav') } as const;
  await assert.rejects(recogniser.ask(nothing, { signal, timeoutMs: 60_000 }));
  const worker = await given(recogniser.pid!);
  const ofWorker = { names: ['LANG', 'MALLOC_ARENA_MAX', ...toFork, 'PATH'], isApart };
  assert.deepEqual(worker, ofWorker);

  const word = wordFileAside(talkInput);
  assert.deepEqual(await given(await running(/word-file-process/)), {
    names: ['LANG', ...toFork, 'PATH'],
    isApart,
  });
  assert.ok((await word).length > 1000, 'and does its work');
});

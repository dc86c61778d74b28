import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { builtService } from '../bench/built-service.ts';
import { modelsDir } from '../support/models.ts';
import { speak } from '../support/espeak.ts';
import { apiOf, setUp, uploadForm, watchUntil } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

type Detail = { status: string; error: { code: string; message: string } | null };

test('a service whose program was replaced under it says that it has to be restarted, and loses nothing', async (t) => {
  const built = await builtService();
  const chunks = join(dirname(built.main), '../../chunks');
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, 'models'));
  await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), { recursive: true });
  const talk = join(dataDir, 'talk.wav');
  await speak('the server was down for twenty minutes last night', talk);
  const audio = new Uint8Array(await readFile(talk));
  const old = await built.start(dataDir);
  t.after(() => old.end());
  const token = await setUp(old.url);
  // As an update does: files of the same parts under other names.
  await cp(chunks, `${chunks}.kept`, { recursive: true });
  await rm(chunks, { recursive: true });
  const { recording_id } = await apiOf(old.url, token).post<{ recording_id: string }>(
    '/recordings',
    uploadForm(audio, { kind: 'solo' }),
  );
  const reaches = async (url: string, wanted: string): Promise<Detail> => {
    let detail: Detail | undefined;
    const look = async () => {
      detail = await apiOf(url, token).get<Detail>(`/recordings/${recording_id}`);
      return detail.status === wanted;
    };
    await watchUntil(url, token, look, 60_000);
    return detail!;
  };
  const { error } = await reaches(old.url, 'ERROR');
  assert.equal(error!.code, 'program-replaced');
  assert.match(error!.message, /must be restarted/);
  await old.end();

  await cp(`${chunks}.kept`, chunks, { recursive: true });
  const young = await built.start(dataDir);
  t.after(() => young.end());
  await apiOf(young.url, token).post(`/recordings/${recording_id}/retry`);
  await reaches(young.url, 'IDLE');
});

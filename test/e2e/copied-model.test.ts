import assert from 'node:assert/strict';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { copyModel, editManifest, modelsDir } from '../support/models.ts';
import { uploadForm } from '../support/service-process.ts';
import { spokenSentences } from '../support/spoken-sentences.ts';
import { tempDir } from '../support/temp-dir.ts';
import { wholeService } from '../support/whole-service.ts';

type Detail = { status: string; error: { code: string } | null };
type Versions = { versions: { speech_to_text: { model: string } | null }[] };

test('a model that is copied in is used as soon as it is whole, and the note names the one that was used', async (t) => {
  const service = await wholeService(t);
  const models = join(service.folder('any'), '../../models');
  await mkdir(models, { recursive: true });
  await editManifest(await copyModel('espeak-en', join(models)), { languages: ['de'] });
  await mkdir(join(models, 'second'));
  const { wav } = await spokenSentences(await tempDir(t), 2);
  const upload = async () => {
    const form = uploadForm(wav, { kind: 'solo', language: 'en' });
    const { recording_id: id } = await service
      .api()
      .post<{ recording_id: string }>('/recordings', form);
    const detail = await eventually('it has ended', async () => {
      const read = await service.api().get<Detail>(`/recordings/${id}`);
      return (read.status === 'IDLE' || read.status === 'ERROR') && read;
    });
    return { id, detail };
  };
  const before = await upload();
  assert.equal(before.detail.error?.code, 'language-unknown', 'nothing speaks English yet');

  const aside = await tempDir(t);
  await cp(join(modelsDir, 'espeak-en'), join(aside, 'second'), { recursive: true });
  await editManifest(join(aside, 'second'), { id: 'second', languages: ['en'] });
  await rm(join(models, 'second'), { recursive: true });
  await rename(join(aside, 'second'), join(models, 'second'));
  const { id, detail } = await upload();
  assert.deepEqual([detail.status, detail.error], ['IDLE', null]);
  const { versions } = await service.api().get<Versions>(`/recordings/${id}/versions`);
  assert.equal(versions[0]?.speech_to_text?.model, 'second');
});

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { installedModels, sherpaConfig, verifyModel } from '../../src/speech/local/local-models.ts';
import { folderFor } from '../support/espeak.ts';
import { copyModel, editManifest, modelsDir } from '../support/models.ts';

test('installed models are listed with what they are for, and pass their own checksums', async () => {
  const { models, broken } = await installedModels(modelsDir);
  assert.deepEqual(broken, []);
  assert.deepEqual(
    models.map(({ id, purpose }) => [id, purpose]),
    [
      ['espeak-embedding', 'speaker-embedding'],
      ['espeak-en', 'speech-to-text'],
      ['espeak-segmentation', 'speaker-segmentation'],
    ],
  );
  for (const model of models) await verifyModel(model);
});

test('a directory that is not there holds no models', async (t) => {
  const { models, broken } = await installedModels(join(await folderFor(t), 'models'));
  assert.deepEqual([models, broken], [[], []]);
});

test('folders that are no models are named with the reason, and hide no others', async (t) => {
  const folder = await folderFor(t);
  await copyModel('espeak-en', folder);
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'garbage'));
  await writeFile(join(folder, 'garbage', 'model.json'), '{');
  await copyModel('espeak-embedding', folder);
  await editManifest(join(folder, 'espeak-embedding'), { purpose: 'magic' });
  const { models, broken } = await installedModels(folder);
  assert.deepEqual(
    models.map(({ id }) => id),
    ['espeak-en'],
  );
  const problems = broken.map(({ problem }) => problem);
  assert.match(problems[0]!, /ENOENT/);
  assert.match(problems[1]!, /purpose/);
  assert.match(problems[2]!, /JSON/);
});

test('files outside the model’s folder are refused', async (t) => {
  const folder = await folderFor(t);
  const model = await copyModel('espeak-en', folder);
  for (const name of ['../secret.onnx', '/etc/passwd', 'a/../../b.onnx', '..\\b.onnx']) {
    await editManifest(model, { files: { [name]: { size: 1, sha256: '0'.repeat(64) } } });
    const { models, broken } = await installedModels(folder);
    assert.equal(models.length, 0, name);
    assert.match(broken[0]!.problem, /inside the model folder/);
  }
});

test('the configuration gets absolute paths, and names no file that is not verified', async (t) => {
  const folder = await folderFor(t);
  const copy = await copyModel('espeak-en', folder);
  const [model] = (await installedModels(folder)).models;
  assert.deepEqual((sherpaConfig(model!)['modelConfig'] as { zipformerCtc: object }).zipformerCtc, {
    model: join(copy, 'model.onnx'),
  });
  for (const stray of ['other.onnx', '/tmp/x']) {
    const changed = { ...model!, sherpa: { modelConfig: { tokens: stray } } };
    assert.throws(() => sherpaConfig(changed), { code: 'model-corrupt' });
  }
});

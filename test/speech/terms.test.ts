import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LocalProcess } from '../../src/speech/local/local-process.ts';
import { localEngine } from '../../src/speech/local/local-engine.ts';
import { installedModels } from '../../src/speech/local/local-models.ts';
import { asrEngine } from '../../src/speech/remote/asr-engine.ts';
import { hotwordsOf, promptOf } from '../../src/speech/terms.ts';
import { copyModel, editManifest, modelsDir } from '../support/models.ts';
import { hear, shortPauses, standIn } from '../support/remote-engine.ts';
import { speechServer } from '../support/speech-servers.ts';
import { tempDir } from '../support/temp-dir.ts';

const { signal } = new AbortController();
const terms = ['Anna Müller', 'Kubernetes', 'Mitschrift'];
const prompt = 'Mitschrift, Kubernetes, Anna Müller.';

test('a prompt keeps what is most useful, at its end, within what Whisper reads', () => {
  assert.equal(promptOf(terms), prompt);
  assert.equal(promptOf([]), null);
  const many = Array.from({ length: 500 }, (_, at) => `Begriff ${at}`);
  const long = promptOf(many)!;
  assert.ok(long.length <= 800, `${long.length}`);
  assert.ok(long.endsWith('Begriff 1, Begriff 0.'));
  assert.equal(hotwordsOf([...terms, '@home', 'a/b', ':x']), terms.join('/'));
  assert.equal(hotwordsOf(['#1']), null);
});

test('an OpenAI-compatible server gets the terms as its prompt, until it refuses one', async (t) => {
  const it = await standIn(t, 'openai');
  await hear(it, [0, 5], { terms });
  assert.deepEqual(it.server.received[0]!.fields['prompt'], [prompt]);
  await hear(it, [0, 5]);
  assert.equal(it.server.received[1]!.fields['prompt'], undefined);
  it.server.faults.push({
    do: 'answer',
    status: 400,
    body: JSON.stringify({ error: { message: "Unsupported parameter: 'prompt'" } }),
  });
  await hear(it, [0, 5], { terms });
  await hear(it, [0, 5], { terms });
  assert.deepEqual(
    it.server.received.slice(2).map(({ fields }) => fields['prompt']?.[0]),
    [prompt, undefined, undefined],
  );
});

test('whisper.cpp gets room for the terms in each window, and none without', async (t) => {
  const it = await standIn(t, 'whisper.cpp');
  await hear(it, [0, 5], { terms });
  const { fields } = it.server.received[0]!;
  assert.deepEqual([fields['prompt'], fields['carry_initial_prompt']], [[prompt], ['true']]);
  const room = Number(fields['max_context']![0]);
  assert.ok(room > prompt.length / 4 && room <= 224, `${room}`);
  await hear(it, [0, 5]);
  assert.deepEqual(it.server.received[1]!.fields['max_context'], ['0']);
});

test('whisper-asr-webservice gets them as initial_prompt', async (t) => {
  const { audio } = await standIn(t, 'openai');
  const server = await speechServer('asr');
  t.after(() => server.close());
  const engine = asrEngine(server.url, null, { pauses: shortPauses });
  t.after(() => engine.close());
  await hear({ engine, audio }, [0, 5], { terms });
  assert.equal(server.received[0]!.query.get('initial_prompt'), prompt);
});

test('an answer that says the prompt and nothing else is doubted', async (t) => {
  const it = await standIn(t, 'openai');
  const saying = (text: string) => {
    it.server.hear = () => [{ text, start: 1, end: 2 }];
  };
  saying('Mitschrift, Kubernetes, Anna Müller.');
  const doubts = async (given: readonly string[]) =>
    (await hear(it, [0, 5], { terms: given })).segments.map(({ doubt }) => doubt);
  assert.deepEqual(await doubts(terms), ['prompt']);
  assert.deepEqual(await doubts([]), [undefined]);
  saying('Kubernetes.');
  assert.deepEqual(await doubts(terms), [undefined]);
});

test('a model of this machine gets hotwords only if it says that it takes them', async (t) => {
  const { audio } = await standIn(t, 'openai');
  const asked = async (hotwords: object | undefined) => {
    const folder = await modelWith(t, hotwords);
    const { models } = await installedModels(folder);
    const requests: Parameters<LocalProcess['ask']>[0][] = [];
    const engineProcess = {
      async ask(request: Parameters<LocalProcess['ask']>[0]) {
        requests.push(request);
        return { text: 'yes' };
      },
      close: async () => {},
    } as unknown as LocalProcess;
    const engine = localEngine(
      models.filter(({ purpose }) => purpose === 'speech-to-text'),
      null,
      engineProcess,
    );
    await engine.recognise(audio, [0, 1], { language: null, signal, terms });
    const [request] = requests;
    assert.ok(request?.op === 'recognise');
    return request;
  };
  const plain = await asked(undefined);
  assert.equal(plain.hotwords, undefined);
  assert.notEqual(plain.config['decodingMethod'], 'modified_beam_search');
  const biased = await asked({ unit: 'bpe', vocabulary: 'bpe.vocab' });
  assert.equal(biased.hotwords, terms.join('/'));
  assert.equal(biased.config['decodingMethod'], 'modified_beam_search');
  const { modelingUnit, bpeVocab } = biased.config['modelConfig'] as Record<string, string>;
  assert.equal(modelingUnit, 'bpe');
  assert.match(bpeVocab!, /^\/.*bpe\.vocab$/u);
});

async function modelWith(t: TestContext, hotwords: object | undefined): Promise<string> {
  const folder = await tempDir(t);
  const { models } = await installedModels(modelsDir);
  const recogniser = models.find(({ purpose }) => purpose === 'speech-to-text')!;
  const copy = await copyModel(recogniser.id, folder);
  if (hotwords) await editManifest(copy, { hotwords });
  return folder;
}

import assert from 'node:assert/strict';
import { inEnglish } from '../../src/words/say.ts';
import { cp, mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { downloadsOf, ours } from '../../src/speech/catalogue/catalogue.ts';
import { ModelError } from '../../src/speech/catalogue/model-error.ts';
import type { ModelProgress } from '../../src/speech/catalogue/list-models.ts';
import { type ModelStore, openModelStore } from '../../src/speech/catalogue/model-store.ts';
import { recommended } from '../../src/speech/catalogue/recommend.ts';
import { installedModels, verifyModel } from '../../src/speech/local/local-models.ts';
import { openLogger } from '../../src/shared/log.ts';
import { smallDisk } from '../faults/small-disk.ts';
import { eventually, within } from '../support/eventually.ts';
import {
  bzip2,
  gzipped,
  modelArchive,
  modelMirror,
  modelTar,
  offerModel,
} from '../support/model-mirror.ts';
import { copyModel, modelsDir as fixtures } from '../support/models.ts';
import { punctuatingModelFiles } from '../support/punctuation-model.ts';
import { tempDir } from '../support/temp-dir.ts';
import { say } from '../../src/words/say.ts';

/** So small that nothing has to be waited for. */
const limits = {
  triesMax: 3,
  pauses: { first: 1, max: 5 },
  silenceMs: 300,
  slow: { bytes: 1000, ms: 50 },
  keepFree: 512 * 1024 * 1024,
};

test('a model arrives over a bad line, from where it broke off, and works', async (t) => {
  const { store, mirror, models } = await house(t);
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  mirror.faults.set('espeak-en.tar.gz', [
    'redirect',
    'cut',
    'broken',
    'silence',
    'cut',
    'silence',
    'drip',
  ]);
  const seen: ModelProgress[] = [];
  store.onProgress((_id, progress) => progress && seen.push(progress));
  await (
    await store.install('espeak-en')
  ).done;
  const listed = await one(store, 'espeak-en');
  assert.equal(listed.installed, true);
  assert.equal(listed.error, null);
  assert.deepEqual(
    listed.used_for.map(({ code }) => code),
    ['used-for-speech'],
  );
  const { models: found } = await installedModels(models);
  await verifyModel(found[0]!);
  const size = mirror.files.get('espeak-en.tar.gz')!.length;
  // Of half the file that was sent before the cut not all need have arrived.
  const begun = mirror.asked.flatMap(({ range }) =>
    range === undefined ? [] : Number(/^bytes=(\d+)-$/.exec(range)![1]),
  );
  assert.ok(begun.length >= 4 && begun[0]! > 0 && begun.at(-1)! < size, begun.join());
  assert.deepEqual(
    begun,
    begun.toSorted((a, b) => a - b),
    'it goes on, and never back',
  );
  assert.deepEqual(await leftIn(models), ['.checksums', 'espeak-en']);
  // How fast, and how long yet: by what came since a frame that is half a second old or older.
  const underWay = seen.find((now) => (now.rate ?? 0) > 0 && now.bytes < now.total!);
  const { rate, bytes, total, seconds_left: left } = underWay!;
  assert.ok(rate! <= bytes * 2, `${rate} of ${bytes}`);
  assert.deepEqual([total, left], [size, Math.round((size - bytes) / rate!)]);
});

test('what cannot be gone on with is begun again; what is not there is looked for elsewhere', async (t) => {
  const { store, mirror } = await house(t);
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' }, ['gone.tar.gz']);
  mirror.faults.set('espeak-en.tar.gz', ['cut', 'changed']);
  await (
    await store.install('espeak-en')
  ).done;
  assert.equal((await one(store, 'espeak-en')).installed, true);
  assert.deepEqual(
    mirror.asked.map(({ path, status }) => `${path.split('/').at(-1)} ${status}`),
    ['gone.tar.gz 404', 'espeak-en.tar.gz 200', 'espeak-en.tar.gz 200'],
  );
});

test('what fails says why in a sentence, installs nothing, and the second try ends well', async (t) => {
  const { store, mirror, models } = await house(t);
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  const name = 'espeak-en.tar.gz';
  const cases = [
    [['flip'], 'archive-unusable', /can’t be unpacked/],
    [
      ['broken', 'broken', 'broken'],
      'download-failed',
      /^The model could not be downloaded \([^()]*HTTP 503\)\. Install the model again\.$/,
    ],
    [
      ['drip', 'drip', 'drip'],
      'download-failed',
      /sends too slowly\)\. The \d+ bytes already downloaded are kept\. Install/,
    ],
    [['not-found'], 'download-failed', /not found \(404\)/],
  ] as const;
  for (const [faults, code, sentence] of cases) {
    mirror.faults.set(name, [...faults]);
    const { done } = await store.install('espeak-en');
    await assert.rejects(done, (error) => error instanceof ModelError && error.code === code);
    const { installed, error, progress } = await one(store, 'espeak-en');
    assert.deepEqual({ installed, progress }, { installed: false, progress: null });
    assert.match(inEnglish(error!), sentence);
    assert.deepEqual((await installedModels(models)).models, []);
    mirror.faults.clear();
  }
  // It says more than it has: what came is all of the file, once the server has told its size.
  mirror.faults.set(name, ['too-long', 'too-long', 'too-long', 'too-long']);
  const tooLong = await (
    await store.install('espeak-en')
  ).done.then(
    () => '',
    (error: unknown) => String(error),
  );
  assert.match(tooLong, /^$|ended too early|connection was lost/);
  mirror.faults.clear();
  if (tooLong !== '') await (await store.install('espeak-en')).done;
  assert.equal((await one(store, 'espeak-en')).installed, true);
});

test('files that differ from those of the first installation are refused, and so are those of which a checksum is known', async (t) => {
  const { store, mirror } = await house(t);
  await offerModel(mirror, 'espeak-en', { base: '' });
  await (
    await store.install('espeak-en')
  ).done;
  await store.remove('espeak-en');
  assert.equal((await one(store, 'espeak-en')).installed, false);
  mirror.faults.set('tokens.txt', ['flip']);
  await assert.rejects(
    (await store.install('espeak-en')).done,
    /tokens\.txt was altered.*differs from the one installed here before/,
  );
  await (
    await store.install('espeak-en')
  ).done;

  const sha256 = '0'.repeat(64);
  await offerModel(mirror, 'espeak-embedding', { base: '' }, [], { 'embedding.onnx': { sha256 } });
  await assert.rejects(
    (await store.install('espeak-embedding')).done,
    /differs from the publisher’s/,
  );
});

test('checksums that are damaged are put aside and that is said; the model that is there counts instead', async (t) => {
  const { store, mirror, models } = await house(t);
  await offerModel(mirror, 'espeak-en', { base: '' });
  await (
    await store.install('espeak-en')
  ).done;
  const record = join(models, '.checksums/espeak-en.json');
  const recorded = await readFile(record, 'utf8');
  for (const damage of ['', '{"model.onnx": 5}', recorded.slice(0, 20)]) {
    await writeFile(record, damage);
    mirror.faults.set('tokens.txt', ['flip']);
    await assert.rejects((await store.install('espeak-en')).done, /tokens\.txt was altered/);
    assert.equal((await one(store, 'espeak-en')).installed, true);
  }
  await (
    await store.install('espeak-en')
  ).done;
  assert.equal(await readFile(record, 'utf8'), recorded);
  const { broken } = await store.list();
  assert.deepEqual(
    broken.map(({ file }) => file),
    [`${record}.damaged`],
  );
});

test('two processes install at once: the checksums of both are kept, and one model is installed by one of them', async (t) => {
  const { store, mirror, models, catalogueDir, settings } = await house(t);
  const other = openModelStore({
    modelsDir: [models],
    catalogueDir,
    settings: () => settings,
    log: openLogger('silent'),
    limits,
  });
  t.after(() => other.close());
  await offerModel(mirror, 'espeak-en', { base: '' });
  await offerModel(mirror, 'espeak-embedding', { base: '' });
  await Promise.all([
    store.install('espeak-en').then(({ done }) => done),
    other.install('espeak-embedding').then(({ done }) => done),
  ]);
  assert.deepEqual((await readdir(join(models, '.checksums'))).toSorted(), [
    'espeak-embedding.json',
    'espeak-en.json',
  ]);
  await store.remove('espeak-en');
  const both = await Promise.allSettled([
    store.install('espeak-en').then(({ done }) => done),
    other.install('espeak-en').then(({ done }) => done),
  ]);
  const outcomes = both.map((one) =>
    one.status === 'rejected' ? String(one.reason) : 'installed',
  );
  assert.deepEqual(outcomes.filter((one) => one === 'installed').length, 1, outcomes.join());
  assert.match(outcomes.join(), /Another process \(\d+\) is already installing/);
  assert.equal((await one(store, 'espeak-en')).installed, true);
});

test('a process that was killed while it installed, or after the last byte, keeps no other from installing', async (t) => {
  const { store, mirror, models } = await house(t);
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  const whole = mirror.files.get('espeak-en.tar.gz')!;
  const part = join(models, '.partial', 'espeak-en', 'espeak-en.tar.gz.part');
  for (const isTotalKnown of [true, false]) {
    mirror.faults.set('espeak-en.tar.gz', ['cut', 'broken', 'broken', 'broken']);
    await assert.rejects((await store.install('espeak-en')).done, ModelError);
    await writeFile(part, whole);
    const note = JSON.parse(await readFile(`${part}.json`, 'utf8')) as object;
    if (!isTotalKnown) await writeFile(`${part}.json`, JSON.stringify({ ...note, total: null }));
    // In a container the service has the same id each time.
    await writeFile(join(models, '.partial', 'espeak-en.pid'), String(process.pid));
    mirror.faults.clear();
    mirror.asked.length = 0;
    await (
      await store.install('espeak-en')
    ).done;
    assert.deepEqual(
      mirror.asked.map(({ status }) => status),
      isTotalKnown ? [] : [416, 200],
    );
    assert.equal((await one(store, 'espeak-en')).installed, true);
    await store.remove('espeak-en');
  }
});

test('a disk that becomes full while it is downloaded, unpacked, or brought in leaves the model that was there, gives the room back, and the next try ends well', async (t) => {
  const disk = await smallDisk(t);
  const { store, mirror, models, root } = await house(t, { ...limits, keepFree: 0 }, disk.folder);
  const archive = 'espeak-en.tar.gz';
  await offerModel(mirror, 'espeak-en', { archive }, [], {}, { size: 1 });
  const bytes = mirror.files.get(archive)!.length;
  const outside = join(await tempDir(t), archive);
  await writeFile(outside, await modelArchive('espeak-en', { manifest: true }));
  const full = (error: unknown) => error instanceof ModelError && error.code === 'no-room';
  const left = async () => await readdir(join(models, '.partial')).catch(() => []);
  for (const round of ['none was there', 'one was there']) {
    // Too little for the archive, of which the server does not say how long it is.
    await disk.fill(Math.floor(bytes / 2));
    mirror.faults.set(archive, ['no-length']);
    await assert.rejects((await store.install('espeak-en')).done, full, round);
    assert.deepEqual(await left(), [], round);
    await disk.free();
    // Enough for the archive, and too little for what is in it.
    await disk.fill(bytes + 300_000);
    await assert.rejects((await store.install('espeak-en')).done, full, round);
    assert.deepEqual(await left(), [], round);
    assert.match(
      inEnglish((await one(store, 'espeak-en')).error!),
      /enough disk space for the model.*Free up space/,
    );
    await assert.rejects(store.importFrom(outside, new AbortController().signal), full, round);
    assert.deepEqual(await left(), [], round);
    const { models: there, broken } = await installedModels(models);
    assert.deepEqual(broken, []);
    assert.equal(there.length, round === 'none was there' ? 0 : 1);
    for (const model of there) await verifyModel(model);
    await disk.free();
    await (
      await store.install('espeak-en')
    ).done;
    assert.equal((await one(store, 'espeak-en')).error, null);
  }
  // What the disk cannot hold is not begun: it is known before.
  await offerModel(mirror, 'espeak-en', { archive }, [], {}, { size: 100_000_000 });
  mirror.asked.length = 0;
  await assert.rejects(
    (await store.install('espeak-en')).done,
    /\d+(?:\.\d)? MB needed, \d+(?:\.\d)? MB free/,
  );
  assert.ok(mirror.sent() < 10 * bytes && root !== '');
});

test('a model that the engine cannot load is not installed; the service lives', async (t) => {
  const { store, mirror, models } = await house(t);
  await offerModel(mirror, 'espeak-en', { base: '' });
  mirror.files.set('model.onnx', Buffer.from('this is no model'));
  await assert.rejects(
    (await store.install('espeak-en')).done,
    /was not installed because it failed the test/,
  );
  assert.deepEqual(await leftIn(models), []);
});

test('a model that says it takes hotwords is tried with some, and not installed if that ends the engine', async (t) => {
  const { store, mirror, models } = await house(t);
  const hotwords = { unit: 'bpe', vocabulary: 'bpe.vocab' };
  const source = { archive: 'espeak-en.tar.gz' };
  await offerModel(mirror, 'espeak-en', source, [], {}, { hotwords });
  const { done } = await store.install('espeak-en');
  await assert.rejects(done, { code: 'model-unusable' });
  assert.deepEqual((await installedModels(models)).models, []);
});

test('what a model needs beside it comes with it; voices are tried on a sample', async (t) => {
  const { store, mirror } = await house(t);
  await offerModel(mirror, 'espeak-embedding', { base: '' });
  await offerModel(
    mirror,
    'espeak-segmentation',
    { base: '' },
    [],
    {},
    { companion: 'espeak-embedding' },
  );
  await (
    await store.install('espeak-segmentation')
  ).done;
  const { models } = await store.list();
  const installed = models.filter((model) => model.installed).map(({ id }) => id);
  assert.deepEqual(installed, ['espeak-embedding', 'espeak-segmentation']);
});

test('a model whose companion fails names it, and the companion says why', async (t) => {
  const { store, mirror } = await house(t);
  await offerModel(mirror, 'espeak-embedding', { archive: 'gone.tar.gz' });
  mirror.faults.set('gone.tar.gz', ['not-found']);
  await offerModel(
    mirror,
    'espeak-segmentation',
    { base: '' },
    [],
    {},
    { companion: 'espeak-embedding' },
  );
  await assert.rejects((await store.install('espeak-segmentation')).done, ModelError);
  const { title, error } = await one(store, 'espeak-embedding');
  assert.match(inEnglish(error!), /^The model could not be downloaded .*404\)\)\. Install/);
  assert.equal(
    inEnglish((await one(store, 'espeak-segmentation')).error!),
    `The model ${title}, which is also needed, could not be installed.`,
  );
});

test('the catalogue’s punctuation is fetched by its own name and tried on a text', async (t) => {
  const { store, mirror, models, settings } = await house(t);
  settings['models.mirror'] = mirror.address;
  const { 'model.onnx': model, 'bpe.vocab': vocabulary } = punctuatingModelFiles();
  const offer = async (bytes: Buffer) => {
    const tar = pack();
    tar.entry({ name: 'sherpa-onnx-online-punct-en-2024-08-06/model.int8.onnx' }, bytes);
    tar.entry({ name: 'sherpa-onnx-online-punct-en-2024-08-06/bpe.vocab' }, vocabulary);
    tar.finalize();
    mirror.files.set('sherpa-onnx-online-punct-en-2024-08-06.tar.bz2', await bzip2(tar));
  };
  await offer(Buffer.from('this is no model'));
  await assert.rejects(
    (await store.install('punctuation-en')).done,
    /was not installed because it failed the test/,
  );
  assert.deepEqual(await leftIn(models), []);
  await offer(model);
  await (
    await store.install('punctuation-en')
  ).done;
  const { installed, used_for } = await one(store, 'punctuation-en');
  assert.deepEqual([installed, used_for.map(({ code }) => code)], [true, ['used-for-punctuation']]);
});

test('an installation can be watched and cancelled; nothing of it is left, and the next one works', async (t) => {
  const { store, mirror, models } = await house(t, { ...limits, silenceMs: 60_000 });
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  mirror.faults.set('espeak-en.tar.gz', ['silence']);
  const seen: (string | null)[] = [];
  store.onProgress((_id, progress) => seen.push(progress?.phase ?? null));
  const { done } = await store.install('espeak-en');
  const ended = assert.rejects(done, { name: 'AbortError' });
  await eventually('asked', () => mirror.asked.length > 0);
  assert.equal((await one(store, 'espeak-en')).progress?.phase, 'waiting');
  // Two at once at most: while one hangs, the third begins when the second has ended.
  const moves: string[] = [];
  store.onProgress((id, now) => moves.push(`${id} ${now?.phase ?? 'ended'}`));
  const others = ['espeak-embedding', 'espeak-segmentation'];
  for (const id of others) await offerModel(mirror, id, { archive: `${id}.tar.gz` });
  // Asked for one after the other: which of two is in line first is else left to chance.
  const asked: Promise<unknown>[] = [];
  for (const id of others) asked.push((await store.install(id)).done);
  await Promise.all(asked);
  const [second, third] = [
    moves.indexOf('espeak-embedding ended'),
    moves.indexOf('espeak-segmentation downloading'),
  ];
  assert.ok(second >= 0 && third > second, moves.join());
  await store.cancel('espeak-en');
  await ended;
  const { installed, progress, error } = await one(store, 'espeak-en');
  assert.deepEqual(
    { installed, progress, error },
    { installed: false, progress: null, error: null },
  );
  assert.deepEqual(await readdir(join(models, '.partial')).catch(() => []), []);
  await (
    await store.install('espeak-en')
  ).done;
  assert.deepEqual(new Set(seen), new Set([null, 'downloading', 'unpacking', 'checking']));
});

test('what waits for its turn or its companion is cancelled at once, and can be asked for again', async (t) => {
  const { store, mirror } = await house(t, { ...limits, silenceMs: 600_000 });
  const ids = ['espeak-segmentation', 'espeak-embedding', 'espeak-en'] as const;
  for (const id of ids) await offerModel(mirror, id, { archive: `${id}.tar.gz` });
  const works = async (id: string) => (await one(store, id)).progress !== null;
  const begin = async (id: string) => {
    const { done } = await store.install(id);
    // How each ends is looked at where it matters.
    done.catch(() => {});
  };
  const beginWith = (companion: string) =>
    offerModel(mirror, ids[2], { archive: `${ids[2]}.tar.gz` }, [], {}, { companion });
  await beginWith(ids[0]);
  mirror.faults.set(`${ids[0]}.tar.gz`, ['silence']);
  await begin(ids[2]);
  await eventually('it waits for its companion', () => mirror.asked.length === 1);
  await within('cancelled', store.cancel(ids[2]), 5000);
  assert.deepEqual([await works(ids[0]), await works(ids[2])], [true, false]);

  await offerModel(mirror, ids[2], { archive: `${ids[2]}.tar.gz` });
  mirror.faults.set(`${ids[1]}.tar.gz`, ['silence']);
  await begin(ids[1]);
  await eventually('both slots are taken', () => mirror.asked.length === 2);
  await begin(ids[2]);
  const cancelling = store.cancel(ids[2]);
  const again = await within('acknowledged', store.install(ids[2]), 5000);
  await within('cancelled', cancelling, 5000);
  assert.equal(await works(ids[2]), true);
  await store.cancel(ids[0]);
  await again.done;
  assert.equal((await one(store, ids[2])).installed, true);
});

test('a model that is chosen and not there is used for nothing, and no other is in its place', async (t) => {
  const { store, models, settings } = await house(t);
  await copyModel('espeak-en', models);
  const uses = async () => (await one(store, 'espeak-en')).used_for.map(({ code }) => code);
  assert.deepEqual(await uses(), ['used-for-speech']);
  settings['stt.local_model'] = 'gone';
  assert.deepEqual(await uses(), []);
  settings['stt.local_model'] = 'espeak-en';
  assert.deepEqual(await uses(), ['used-for-speech-chosen']);
});

test('what is copied or unpacked on this host leaves room for recordings, too', async (t) => {
  const { store, mirror, models, settings, root } = await house(t, { ...limits, keepFree: 1e18 });
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  settings['models.mirror'] = join(root, 'mirror');
  await mkdir(settings['models.mirror']);
  const archive = join(settings['models.mirror'], 'espeak-en.tar.gz');
  await writeFile(archive, mirror.files.get('espeak-en.tar.gz')!);
  const full = (error: unknown) => error instanceof ModelError && error.code === 'no-room';
  const { signal } = new AbortController();
  await assert.rejects((await store.install('espeak-en')).done, full);
  await assert.rejects(store.importFrom(archive, signal), full);
  await assert.rejects(store.importFrom(join(fixtures, 'espeak-en'), signal), full);
  assert.deepEqual(await leftIn(models), []);
});

test('a lock of another host counts as long as it is touched, whatever process this host has of that id', async (t) => {
  const { store, mirror, models } = await house(t);
  await offerModel(mirror, 'espeak-en', { base: '' });
  const lock = join(models, '.partial', 'espeak-en.pid');
  await mkdir(join(models, '.partial'));
  await writeFile(lock, `${process.pid} another-container`);
  await assert.rejects(
    (await store.install('espeak-en')).done,
    /Another process \(\d+ another-container\) is already installing/,
  );
  const ago = new Date(Date.now() - 600_000);
  await utimes(lock, ago, ago);
  await (
    await store.install('espeak-en')
  ).done;
  assert.equal((await one(store, 'espeak-en')).installed, true);
});

test('a house’s mirror serves every file under its own name, over HTTP or from a folder, and nothing else is asked', async (t) => {
  const { store, mirror, models, settings, root } = await house(t);
  const archive = await modelArchive('espeak-en');
  const elsewhere = 'https://models.invalid/releases/';
  await offerModel(
    mirror,
    'espeak-en',
    { archive: 'espeak-en.tar.gz' },
    [],
    {},
    {
      sources: [{ archive: `${elsewhere}espeak-en.tar.gz` }],
    },
  );
  settings['models.mirror'] = mirror.address;
  await (
    await store.install('espeak-en')
  ).done;
  await store.remove('espeak-en');

  const folder = join(root, 'mirror');
  await mkdir(folder);
  await writeFile(join(folder, 'espeak-en.tar.gz'), archive);
  settings['models.mirror'] = folder;
  mirror.asked.length = 0;
  await (
    await store.install('espeak-en')
  ).done;
  assert.deepEqual(mirror.asked, []);
  assert.deepEqual(await leftIn(models), ['.checksums', 'espeak-en']);
});

test('models are brought in from archives and folders of this host', async (t) => {
  const { store, root } = await house(t);
  const signal = new AbortController().signal;
  const described = join(root, 'mine.tar.gz');
  await writeFile(described, await modelArchive('espeak-en', { manifest: true }));
  assert.equal((await store.importFrom(described, signal)).id, 'espeak-en');
  const bzipped = join(root, 'mine.tar.bz2');
  await writeFile(bzipped, await bzip2(await modelTar('espeak-en', { manifest: true })));
  assert.equal((await store.importFrom(bzipped, signal)).id, 'espeak-en');
  await writeFile(bzipped, (await readFile(bzipped)).subarray(0, -2000));
  await assert.rejects(store.importFrom(bzipped, signal), /can’t be unpacked: .*(?:bzip2|end)/);
  assert.equal(
    (await store.importFrom(join(fixtures, 'espeak-embedding'), signal)).id,
    'espeak-embedding',
  );
  const unknown = join(root, 'unknown.tar.gz');
  await writeFile(unknown, await modelArchive('espeak-en'));
  await assert.rejects(store.importFrom(unknown, signal), /has no model\.json/);
  await assert.rejects(store.importFrom(join(root, 'nowhere'), signal), /nowhere doesn’t exist/);
  // A folder around one model is that model; around several, they are named.
  const drive = join(root, 'drive');
  await cp(join(fixtures, 'espeak-embedding'), join(drive, 'espeak-embedding'), {
    recursive: true,
  });
  await writeFile(join(drive, 'notes.txt'), 'nothing of a model');
  await store.remove('espeak-embedding');
  assert.equal((await store.importFrom(drive, signal)).id, 'espeak-embedding');
  await cp(join(fixtures, 'espeak-en'), join(drive, 'espeak-en'), { recursive: true });
  await writeFile(join(drive, 'silero_vad.onnx'), 'as its publisher names it');
  await assert.rejects(
    store.importFrom(drive, signal),
    /^ModelError: drive contains several models: espeak-embedding, espeak-en and silero_vad\.onnx\. Import one/,
  );
  const { models } = await store.list();
  assert.equal(models.find(({ id }) => id === 'espeak-en')!.installed, true);
});

test('a download that failed is no longer said once the model came in another way', async (t) => {
  const { store, mirror } = await house(t);
  await offerModel(mirror, 'espeak-en', { archive: 'nowhere.tar.gz' });
  mirror.files.delete('nowhere.tar.gz');
  await assert.rejects((await store.install('espeak-en')).done, /could not be downloaded/);
  assert.equal((await one(store, 'espeak-en')).error?.code, 'download-failed');
  await store.importFrom(join(fixtures, 'espeak-en'), new AbortController().signal);
  assert.deepEqual(
    [(await one(store, 'espeak-en')).installed, (await one(store, 'espeak-en')).error],
    [true, null],
  );
});

test('what a model is made of can be fetched by hand: every model of this release names addresses', () => {
  for (const entry of ours()) {
    const downloads = downloadsOf(entry);
    assert.ok(downloads.length > 0, entry.id);
    for (const { url } of downloads)
      assert.match(url, /^https:\/\/github\.com\/.*\.(?:tar\.bz2|onnx)$/);
  }
  const [vad] = ours()
    .filter(({ id }) => id === 'silero-vad')
    .map(downloadsOf);
  assert.deepEqual(vad, [
    {
      url: 'https://github.com/k2-fsa/sherpa-onnx/releases/download/asr-models/silero_vad.onnx',
      size: null,
      sha256: null,
    },
  ]);
});

test('an archive writes nowhere but into the model’s folder, and no more than a model can have', async (t) => {
  const { store, mirror, models, root } = await house(t);
  await offerModel(mirror, 'espeak-en', { archive: 'espeak-en.tar.gz' });
  const tar = pack();
  for (const name of ['../../evil', '/tmp/evil', 'a/../../../evil', 'top/../../tokens.txt']) {
    tar.entry({ name }, 'evil');
  }
  tar.entry({ name: 'top/tokens.txt', type: 'symlink', linkname: '/etc/passwd' });
  tar.entry({ name: 'top/model.onnx', type: 'link', linkname: '/etc/passwd' });
  tar.finalize();
  mirror.files.set('espeak-en.tar.gz', await gzipped(tar));
  await assert.rejects(
    (await store.install('espeak-en')).done,
    /doesn’t contain the file (?:model\.onnx|tokens\.txt)/,
  );
  assert.deepEqual(await leftIn(models), []);
  assert.deepEqual((await readdir(root)).toSorted(), ['catalogue', 'models']);

  mirror.files.set('espeak-en.tar.gz', gzipSync(Buffer.from('not a tar at all'.repeat(100))));
  await assert.rejects((await store.install('espeak-en')).done, /can’t be unpacked/);
});

test('own entries are read at each listing; those that cannot be used are named', async (t) => {
  const { store, mirror, catalogueDir } = await house(t);
  await writeFile(join(catalogueDir, 'broken.json'), '{"id": "other"}');
  await offerModel(mirror, 'espeak-en', { base: '' });
  const { models, broken } = await store.list();
  assert.ok(models.some(({ id }) => id === 'espeak-en'));
  assert.deepEqual(
    broken.map(({ file }) => file),
    [join(catalogueDir, 'broken.json')],
  );
  await assert.rejects(store.install('nowhere'), /no model nowhere/);
  await assert.rejects(store.remove('../catalogue'), /isn’t installed/);
});

test('the catalogue of this release is complete, and what is recommended fits language and machine', () => {
  const entries = ours();
  assert.ok(entries.length >= 12);
  const names = (language: string | null, gigabytes: number, cores: number) => [
    ...recommended(entries, language, { memoryBytes: gigabytes * 1e9, cores }).keys(),
  ];
  assert.ok(names('de', 8, 4).includes('parakeet-tdt-0.6b-v3'));
  assert.ok(names('de', 3, 4).includes('whisper-small'));
  assert.ok(names('en', 1, 1).includes('moonshine-tiny-en'));
  assert.ok(names(null, 1, 1).includes('whisper-tiny'), 'one language alone is no choice');
  assert.ok(names('ja', 8, 4).includes('sense-voice'));
  assert.ok(names('tr', 8, 4).includes('whisper-turbo'));
  const [, reason] = [...recommended(entries, 'de', { memoryBytes: 8e9, cores: 4 })][0]!;
  assert.match(
    say(reason, 'en')!.detail,
    /^Supports German and 24 other languages\. This server has 7\.45 GB of memory and 4 cores/,
  );
});

async function house(t: TestContext, given = limits, folder?: string) {
  const root = folder ?? (await tempDir(t));
  const models = join(root, 'models');
  const catalogueDir = join(root, 'catalogue');
  await mkdir(models);
  await mkdir(catalogueDir);
  const mirror = Object.assign(await modelMirror(t), { catalogueDir });
  const settings = {
    'stt.local_model': null as string | null,
    'stt.language': 'auto',
    'models.mirror': null as string | null,
  };
  const store = openModelStore({
    modelsDir: [models],
    catalogueDir,
    settings: () => settings,
    log: openLogger('silent'),
    limits: given,
  });
  t.after(() => store.close());
  return { store, mirror, models, catalogueDir, settings, root };
}

async function one(store: ModelStore, id: string) {
  const { models } = await store.list();
  return models.find((model) => model.id === id)!;
}

const leftIn = async (folder: string) =>
  (await readdir(folder)).filter((name) => name !== '.partial' && name !== '.replaced').toSorted();

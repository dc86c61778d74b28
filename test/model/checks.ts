import assert from 'node:assert/strict';
import { filesBelow } from '../support/files-below.ts';
import type { Random } from '../support/seeded.ts';
import { numbersIn, spelled } from '../support/spelled-audio.ts';
import type { Door } from './door.ts';
import { type Shown, atRest, linesOf, wordsIn } from './reading.ts';
import { type Talk, type World, goneOf, textsOf } from './talks.ts';

/** What the doors say is what the model says: of this recording, in every way in which it can be read. */
export async function checkTalk(door: Door, talk: Talk): Promise<Shown> {
  const shown = await atRest(door, talk.id);
  if (shown === null) throw new Error(`${talk.id} is gone`);
  const heard = numbersIn(await door.bytes(`/recordings/${talk.id}/audio`));
  assert.deepEqual(
    heard,
    talk.seconds.map(({ number }) => number),
    `the audio of ${talk.id}`,
  );
  assert.equal(shown.duration, talk.seconds.length, `how long ${talk.id} is`);
  checkShown(shown, talk, 'as it is read');
  const json = await door.bytes(`/recordings/${talk.id}/export?format=json`);
  checkShown(JSON.parse(Buffer.from(json).toString()) as Shown, talk, 'as it is exported');
  const documents = await Promise.all(
    Object.values(shown.documents!).map((path) =>
      door.bytes(`/transcripts/${encodeURIComponent(path)}`),
    ),
  );
  const written = documents.map((bytes) => Buffer.from(bytes).toString()).join('\n');
  const words = new Set(wordsIn(written));
  for (const text of textsOf(talk))
    assert.ok(words.has(text), `${text} is in the documents of ${talk.id}`);
  return shown;
}

function checkShown(shown: Shown, talk: Talk, how: string): void {
  const where = `${talk.id} ${how}`;
  const { utterances, speakers } = shown;
  const nameOf = (label: string | null) =>
    speakers.find((one) => one.label === label)?.name ?? null;
  const said = utterances.flatMap(({ text, speaker }) =>
    wordsIn(text).map((word) => [word, talk.kind === 'meeting' ? nameOf(speaker) : null]),
  );
  assert.deepEqual(
    said,
    talk.seconds.flatMap(({ said: words, name }) => words.map((word) => [word, name])),
    `what is said in ${where}`,
  );
  for (const { text, start, end } of utterances)
    for (const word of wordsIn(text)) {
      const isThere = talk.seconds.some(
        (one, second) => one.said.includes(word) && start <= second + 0.9 && end >= second + 0.1,
      );
      assert.ok(isThere, `${word} is said from ${start} to ${end} of ${where}`);
    }
  assert.equal(new Set(utterances.map(({ block }) => block)).size, utterances.length);
  const order = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  assert.deepEqual(
    shown.sidenotes.map(({ at, text, mark }) => ({ at, text, mark })).toSorted(order),
    talk.notes
      .map(({ at, text, mark }) => ({ at: Math.round(at * 1000) / 1000, text, mark }))
      .toSorted(order),
    `the side notes of ${where}`,
  );
  assert.deepEqual(
    linesOf(shown)
      .map(({ text, kind, done }) => ({ text, kind, done }))
      .toSorted(order),
    talk.lines.map(({ text, kind, done }) => ({ text, kind, done })).toSorted(order),
    `the summary of ${where}`,
  );
  if (talk.title !== null) assert.equal(shown.title, talk.title, `the title of ${where}`);
}

type Listed = {
  recording_id: string;
  title: string | null;
  documents: Record<string, string> | null;
};

/** Nothing that is gone is in any answer, found by the search, or in a file that can be read. */
export async function checkGone(
  door: Door,
  world: World,
  { random, quotes }: { random: Random; quotes: boolean },
): Promise<void> {
  const list = await door.get<{ recordings: Listed[] }>('/recordings');
  const named = (of: (one: Listed) => string) =>
    list.body.recordings.flatMap((one) =>
      wordsIn(of(one).replaceAll(/[^\w]+/gu, ' ')).map((word) => word.toLowerCase()),
    );
  const titles = named(({ title }) => title ?? '');
  const files = named(({ documents }) => Object.values(documents ?? {}).join(' '));
  const titled = { titles, files };
  const { texts, removed, numbers } = goneOf(world, { quotes, titled });
  const gone = new Set(texts);
  assert.deepEqual(
    titles.filter((word) => !quotes && removed.includes(word)),
    [],
    'what was removed is in a title',
  );
  assert.deepEqual(
    list.body.recordings.map(({ recording_id }) => recording_id).toSorted(),
    [...world.talks.keys()].toSorted(),
    'the list of recordings',
  );
  const answers = [
    '/recordings',
    '/transcripts',
    ...[...world.talks.keys()].flatMap((id) => [
      `/recordings/${id}`,
      ...['json', 'txt', 'md', 'srt'].map((format) => `/recordings/${id}/export?format=${format}`),
    ]),
  ];
  for (const path of answers) {
    const text = Buffer.from(await door.bytes(path)).toString();
    const found = wordsIn(text.replaceAll(/[^\w]+/gu, ' ')).filter((word) =>
      gone.has(word.toLowerCase()),
    );
    assert.deepEqual(found, [], `what is gone is in ${path}`);
  }
  for (const id of world.talks.keys()) await checkVersions(door, id, new Set(removed));
  const looked = texts.length === 0 ? [] : [random.pick(texts), random.pick(texts)];
  for (const text of looked) {
    const found = Buffer.from(await door.bytes(`/search?q=${text}`)).toString();
    assert.ok(
      !wordsIn(found.replaceAll(/[^\w]+/gu, ' ')).includes(text),
      `${text} is found, which is gone`,
    );
  }
  await checkFiles(door, { texts, numbers });
}

/** No file has it in plain words, nor as audio. */
async function checkFiles(
  { dataDir }: Door,
  { texts, numbers }: Pick<ReturnType<typeof goneOf>, 'texts' | 'numbers'>,
): Promise<void> {
  const sounds = numbers.map((number) => ({
    number,
    bytes: Buffer.from(spelled([number])).subarray(44, 44 + 2000),
  }));
  for (const { name, bytes } of await filesBelow(dataDir)) {
    const plain = bytes.toString('latin1');
    for (const text of texts) {
      if (!plain.includes(text) && !name.includes(text)) continue;
      // Not a part of another word, nor of what only looks like one.
      const whole = new RegExp(`(?<![A-Za-z0-9+/])${text}(?![A-Za-z0-9+/])`, 'u');
      assert.ok(!whole.test(plain) && !whole.test(name), `${text}, which is gone, is in ${name}`);
    }
    for (const sound of sounds)
      assert.ok(
        !bytes.includes(sound.bytes),
        `the second ${sound.number}, which is gone, is in ${name}`,
      );
  }
}

/** What was removed is in no version either. */
async function checkVersions(door: Door, id: string, removed: ReadonlySet<string>): Promise<void> {
  const list = await door.get<{ versions: { version: number }[] }>(`/recordings/${id}/versions`);
  for (const path of ['', ...list.body.versions.map(({ version }) => `/${version}`)]) {
    const { body } = await door.get(`/recordings/${id}/versions${path}`);
    const words = wordsIn(JSON.stringify(body).replaceAll(/[^\w]+/gu, ' '));
    const found = words.filter((word) => removed.has(word.toLowerCase()));
    assert.deepEqual(found, [], `what was removed is in versions${path} of ${id}`);
  }
}

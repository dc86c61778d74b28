import { ulid } from 'ulid';
import { join } from 'node:path';
import type { OfferedFact } from '../../events/facts/catalogue.ts';
import { type RecordingFactType, recordingStream } from '../../events/facts/recording.ts';
import { openFileKeys } from '../../events/log/file-keys.ts';
import { openLog } from '../../events/log/level-log.ts';
import { pathsOf } from '../support/fact-teller.ts';
import { type AnswerType, sampleData, stageOfAnswer } from '../support/plausible-events.ts';
import { recordingStory } from '../support/recording-story.ts';
import { apiOf, setUp } from '../support/service-process.ts';
import type { BuiltService } from './built-service.ts';

const together = 50;

/**
 * Makes a data directory with one user who has many transcripts, short unless `textOf` says otherwise, through
 * the log: the service folds them when it starts. Their audio is not there. With `isHalfFiled` every second one is in
 * a folder.
 */
export async function fillLibrary(
  service: BuiltService,
  dataDir: string,
  transcripts: number,
  { textOf, isHalfFiled = false }: { textOf?: TextOf | undefined; isHalfFiled?: boolean } = {},
): Promise<{ token: string; recordingIds: string[]; folder: string | null }> {
  const running = await service.start(dataDir);
  const token = await setUp(running.url);
  const folder = isHalfFiled
    ? (await apiOf(running.url, token).post<{ id: string }>('/folders', { name: 'Every second' }))
        .id
    : null;
  await running.end('SIGTERM');
  const folderOf = (number: number) => (number % 2 === 0 ? folder : null);
  const recordingIds = await tellTalks(dataDir, transcripts, { textOf, folderOf });
  return { token, recordingIds, folder };
}

type TextOf = (number: number) => string;

/**
 * Writes finished talks into the log of a service that is not running, whose they are the first user's.
 * @param options.startedAt when each began, milliseconds
 * @returns their ids
 */
export async function tellTalks(
  dataDir: string,
  count: number,
  {
    textOf,
    folderOf = () => null,
    nameOf = (number) => `Besprechung ${number}`,
    startedAt = (number) => 1.7e12 + number * 60_000,
  }: {
    textOf?: TextOf | undefined;
    folderOf?: (number: number) => string | null;
    nameOf?: (number: number) => string;
    startedAt?: (number: number) => number;
  } = {},
): Promise<string[]> {
  const store = await openLog({
    directory: join(dataDir, 'log'),
    keys: await openFileKeys(join(dataDir, 'keys')),
  });
  let owner = '';
  for await (const fact of store.read('users', { limit: 1 })) {
    if ('user_id' in fact.data) owner = fact.data.user_id;
  }
  const recordingIds = Array.from({ length: count }, () => ulid());
  for (let first = 0; first < count; first += together) {
    await Promise.all(
      recordingIds.slice(first, first + together).map(async (id, offset) => {
        const number = first + offset;
        const name = nameOf(number);
        const began = new Date(startedAt(number)).toISOString();
        const said = textOf?.(number) ?? name;
        const talk = { id, owner, startedAt: began, name, said, folder: folderOf(number) };
        await store.append(recordingStream(id), toldOf(talk), 0);
      }),
    );
  }
  await store.close();
  return recordingIds;
}

/**
 * From the import to the documents, each fact as the machine accepts it: what comes later (a new title) goes on from
 * there, and does not begin with recognising.
 */
function toldOf(talk: {
  id: string;
  owner: string;
  startedAt: string;
  name: string;
  said: string;
  folder: string | null;
}): OfferedFact[] {
  const { id, owner, startedAt, name, said, folder } = talk;
  const story = recordingStory(id);
  const facts: OfferedFact[] = [];
  const take = (type: RecordingFactType, data: object, content?: object, attempt: object = {}) => {
    const from = story.state();
    story.take(type, data, attempt);
    facts.push({
      type,
      data: { ...sampleData[type], ...data },
      ...(content === undefined ? {} : { content, subject: id }),
      by: 'anna',
      command: `${id}-${facts.length}`,
      from,
      to: story.state(),
      ...attempt,
    } as OfferedFact);
  };
  const answer = (type: AnswerType, data: object, content?: object): void => {
    const { run, running } = story.context();
    take(type, data, content, { run, attempt: running[stageOfAnswer[type]] });
  };
  const start = (stage: (typeof stageOfAnswer)[AnswerType]): void => {
    const { run, attempt } = story.context();
    take('stage.started', { stage }, undefined, { run, attempt: attempt + 1 });
  };
  const span = { start: 0, end: 2, words: [] };
  const imported = { owner, kind: 'solo', speakers: null, started_at: startedAt };
  take('audio.imported', imported, { filename: 'talk.wav' });
  if (folder !== null) take('recording.filed', { folder });
  start('transcribe');
  answer('speech.detected', { duration: 2, stretches: [[0, 2]] });
  answer('utterance.recognised', { language: 'de' }, { segments: [{ ...span, text: said }] });
  answer('transcription.completed', { language: 'de' });
  start('punctuate');
  const block = { id: 't-0001', speaker: null, ...span, text: said };
  answer('transcript.punctuated', {}, { blocks: [block] });
  start('summarise');
  answer('summary.completed', { language: 'de' }, { text: `${name} summary` });
  start('entitle');
  answer('title.chosen', {}, { title: `${name} title`, abstract: `${name} abstract` });
  start('write');
  answer('documents.named', { local_start: startedAt }, { base: id, title: name });
  answer('documents.saved', {}, { paths: pathsOf(id) });
  return facts;
}

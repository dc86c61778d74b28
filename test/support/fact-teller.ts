import {
  type Fact,
  type LoggedFact,
  type OfferedFact,
  usersStream,
} from '../../events/facts/catalogue.ts';
import type { Metadata } from '../../events/facts/envelope.ts';
import { recordingStream } from '../../events/facts/recording.ts';
import type { EventStore } from '../../events/store.ts';

/** Appends facts one after another, each stream at its own version. */
export function factTeller(store: EventStore) {
  const versions = new Map<string, number>();
  let commands = 0;

  async function tell(
    stream: string,
    fact: Fact,
    metadata: Partial<Metadata> = {},
  ): Promise<LoggedFact> {
    const version = versions.get(stream) ?? 0;
    commands += 1;
    const subject = stream === usersStream ? userOf(fact) : stream.replace(/^recording-/, '');
    const offered: OfferedFact = {
      by: 'anna',
      command: `command-${commands}`,
      ...(fact.content === undefined ? {} : { subject }),
      ...metadata,
      ...fact,
    };
    const [stored] = await store.append(stream, [offered], version);
    versions.set(stream, version + 1);
    return stored!;
  }

  return {
    tell,
    /** A fact of a recording and the state it leads to. */
    of: (recordingId: string, fact: Fact, to?: string, metadata: Partial<Metadata> = {}) =>
      tell(recordingStream(recordingId), fact, {
        ...(to === undefined ? {} : { to }),
        ...metadata,
      }),
  };
}

export type FactTeller = ReturnType<typeof factTeller>;

const worker = { engine: 'local', model: null };
const span = { start: 0, end: 1 };

/** An uploaded recording of `owner`, from `startedAt` on. */
export async function tellImport(
  teller: FactTeller,
  id: string,
  about: { owner?: string; kind?: 'solo' | 'meeting'; startedAt?: string; title?: string } = {},
): Promise<LoggedFact> {
  const { owner = 'anna', kind = 'solo', startedAt = '2026-03-01T10:00:00Z', title } = about;
  return teller.of(
    id,
    {
      type: 'audio.imported',
      data: {
        owner,
        kind,
        language: null,
        speakers: null,
        path: 'audio.wav',
        bytes: 10,
        sha256: 'a',
        duration: null,
        started_at: startedAt,
      },
      content: { filename: 'talk.wav', ...(title === undefined ? {} : { title }) },
    },
    'transcribing.recognising',
  );
}

/** Recognises some utterances; each says its own word. */
export async function tellSpeech(teller: FactTeller, id: string, words: string[]): Promise<void> {
  const stretches = words.map((_, index): [number, number] => [index, index + 1]);
  const state = 'transcribing.recognising';
  await teller.of(id, { type: 'stage.started', data: { stage: 'transcribe' } }, state, {
    attempt: 1,
  });
  await teller.of(
    id,
    {
      type: 'speech.detected',
      data: { detector: 'test', duration: words.length, stretches, warnings: [] },
    },
    state,
  );
  for (const [index, text] of words.entries()) {
    await teller.of(
      id,
      {
        type: 'utterance.recognised',
        data: { index, start: index, end: index + 1, words: 1, language: 'de' },
        content: { segments: [{ start: index, end: index + 1, text, words: [] }] },
      },
      state,
    );
  }
}

export const completed = (language: string | null = 'de'): Fact => ({
  type: 'transcription.completed',
  data: { ...worker, language, utterances: 1, words: 1 },
});

export const joined = (...labels: string[]): Fact => ({
  type: 'turns.joined',
  data: { speakers: labels.map((label) => ({ label, seconds: 2 })) },
  content: {
    turns: labels.map((speaker, index) => block(`t-${index}`, `turn of ${speaker}`, speaker)),
    suggestions: labels.map((label) => ({
      label,
      name: `maybe ${label}`,
      confidence: 0.5,
      reason: 'was greeted',
      sample: { start: 0, end: 1, text: 'Guten Tag' },
    })),
  },
});

/** From the words to the documents, all of which say `text`, but for a transcript that says `said`. */
export async function tellFinish(
  teller: FactTeller,
  id: string,
  text: string,
  version = 1,
  said = text,
): Promise<void> {
  await teller.of(
    id,
    {
      type: 'transcript.punctuated',
      data: { ...worker, parts: 1, kept: [] },
      content: { blocks: [block('t-0001', `${said} block`, null)] },
    },
    'transcribing.finishing(punctuate.done,summarise.running)',
  );
  await teller.of(
    id,
    {
      type: 'summary.completed',
      data: { ...worker, parts: 1, language: 'de' },
      content: { text: `${text} summary` },
    },
    'transcribing.entitling',
  );
  await teller.of(
    id,
    {
      type: 'title.chosen',
      data: worker,
      content: { title: `${text} title`, abstract: `${text} abstract` },
    },
    'transcribing.writing',
  );
  await teller.of(id, saved(version, id), 'idle.saved');
}

export const saved = (version: number, base: string): Fact => ({
  type: 'documents.saved',
  data: {
    version,
    renderer: 1,
    sha256: { index: `i${version}`, transcript: `t${version}`, summary: `s${version}` },
    kept: [],
  },
  content: { paths: pathsOf(base) },
});

export const pathsOf = (base: string) => ({
  index: `${base}.md`,
  transcript: `${base}/transkript.md`,
  summary: `${base}/zusammenfassung.md`,
});

export const block = (id: string, text: string, speaker: string | null) => ({
  id,
  speaker,
  ...span,
  text,
  words: [],
});

function userOf(fact: Fact): string {
  return 'user_id' in fact.data ? fact.data.user_id : '';
}

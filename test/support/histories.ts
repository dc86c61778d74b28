import assert from 'node:assert/strict';
import { type RecordingFact, type Stage, recordingStream } from '../../events/facts/recording.ts';
import type { Metadata } from '../../events/facts/envelope.ts';
import {
  type LoggedRecordingFact,
  type OfferedFact,
  isRecordingFact,
} from '../../events/facts/catalogue.ts';
import type { EventStore } from '../../events/store.ts';
import type { Block, Segment } from '../../events/facts/transcript.ts';
import { activeStages, stateName } from '../../machines/states.ts';
import {
  type RecordingSnapshot,
  nextSnapshot,
  initialState,
  machineVersion,
} from '../../machines/recording.ts';
import { toMachineEvent } from '../../machines/context.ts';
import {
  type DocumentsInput,
  type PerDocument,
  documentPaths,
  speakerName,
} from '../../src/documents/documents.ts';
import { renderDocuments, rendererVersion } from '../../src/documents/render.ts';
import { carriedOver } from '../../src/recordings/stages/write.ts';
import { documentsInput } from '../../src/documents/documents-input.ts';
import { draft, published, read } from '../../projections/recording/reading.ts';
import { factAt, readRecording } from '../../projections/recording/recording.ts';
import { mostHeard } from '../../src/speech/most-heard.ts';
import { isRefusal } from '../../events/command-handler.ts';
import {
  type DecideRecording,
  changeRecording,
  renameSpeakers,
  restoreVersion,
} from '../../projections/recording/decide.ts';
import { editTurn, mergeTurn, splitTurn } from '../../projections/recording/edit-turns.ts';
import { memoryStore } from './memory-store.ts';
import type { Random } from './seeded.ts';

/** What was written at a `documents.saved`, as the files have it. */
export type Written = { version: number; input: DocumentsInput; documents: PerDocument };

export type History = {
  recordingId: string;
  store: EventStore;
  facts(): readonly LoggedRecordingFact[];
  snapshot(): RecordingSnapshot;
  /** What was written last; null before. */
  written(): Written | null;
};

/** Facts of one life at most. */
const stepsMax = 90;
const languages = ['de', 'en', 'fr', null] as const;
const words = ['eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht'];
const names = ['Ada', 'Ben', 'Änne', 'Cem'];
const warnings = ['truncated', 'header-repaired', 'damaged', 'quiet', 'silent', 'clipped'];
const builtIn = { engine: 'built-in', model: null };
const languageModel = { engine: 'language-model', model: 'some' };

/**
 * Lives through one recording at random: every fact is one the machine accepts, and its content is
 * made by the product's own functions wherever they exist. `seen` is awaited after each fact.
 */
export async function liveThrough(
  random: Random,
  seen: (history: History, fact: LoggedRecordingFact) => Promise<void>,
): Promise<History> {
  const recordingId = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const stream = recordingStream(recordingId);
  const store = memoryStore({ clock: clockFrom('2026-11-20T09:00:00Z') });
  const facts: LoggedRecordingFact[] = [];
  let snapshot = initialState(recordingId);
  let written: Written | null = null;

  const history: History = {
    recordingId,
    store,
    facts: () => facts,
    snapshot: () => snapshot,
    written: () => written,
  };

  /** Appends a fact if the machine takes it. */
  async function offer(fact: RecordingFact, about: Partial<Metadata> = {}): Promise<boolean> {
    const metadata = { by: 'anna', command: `command-${facts.length}`, ...about };
    const event = toMachineEvent({ ...fact, ...metadata, version: facts.length + 1 });
    if (!snapshot.can(event)) return false;
    const from = stateName(snapshot.value);
    snapshot = nextSnapshot(snapshot, event);
    const offered: OfferedFact = {
      ...fact,
      ...metadata,
      from,
      to: stateName(snapshot.value),
      machine: machineVersion,
      ...(fact.content === undefined ? {} : { subject: recordingId }),
    };
    const [stored] = await store.append(stream, [offered], facts.length);
    assert.ok(stored && isRecordingFact(stored));
    facts.push(stored);
    if (fact.type === 'documents.saved') {
      written = { version: fact.data.version, ...life.rendered! };
    }
    await seen(history, stored);
    return true;
  }
  const answer = (stage: Stage, fact: RecordingFact): Promise<boolean> => {
    const { run, running } = runOf(snapshot);
    return offer(fact, { by: 'system', run, attempt: running[stage]! });
  };
  const recording = () => readRecording(store, recordingId);
  const life: Life = { random, history, offer, answer, recording, rendered: null };

  await begin(life);
  for (let step = 0; step < stepsMax && facts.length < stepsMax; step += 1) {
    if (stateName(snapshot.value) === 'idle.erased') break;
    const stages = activeStages(snapshot).filter((one) => one !== 'capture' && one !== 'follow');
    const stage = stages.length > 0 ? random.pick(stages) : undefined;
    if (stage === undefined || random.chance(0.12)) await person(life);
    else if (runOf(snapshot).running[stage] === undefined) {
      const { run, attempt } = runOf(snapshot);
      await offer(
        { type: 'stage.started', data: { stage } },
        { by: 'system', run, attempt: attempt + 1 },
      );
    } else if (random.chance(0.03)) await setback(life, stage);
    else if (stage === 'write') await write(life);
    else await work(life, stage);
  }
  return history;
}

type Life = {
  random: Random;
  history: History;
  offer(fact: RecordingFact, about?: Partial<Metadata>): Promise<boolean>;
  answer(stage: Stage, fact: RecordingFact): Promise<boolean>;
  recording(): ReturnType<typeof readRecording>;
  /** What the write stage is about to save. */
  rendered: Omit<Written, 'version'> | null;
};

/** An upload, or a capture that ends well or not. */
async function begin({ random, offer }: Life): Promise<void> {
  const origin = {
    owner: 'anna',
    kind: random.pick(['solo', 'meeting'] as const),
    language: random.pick(languages),
    speakers: null,
  };
  const file = { path: 'audio.wav', bytes: 10, sha256: 'aa', duration: 6 };
  const content = random.chance(0.3) ? { title: 'asked for' } : {};
  if (random.chance(0.6)) {
    const data = { ...origin, ...file, started_at: '2026-11-20T09:00:00Z' };
    await offer({ type: 'audio.imported', data, content });
    return;
  }
  const data = { ...origin, device: 'Mic', trigger: 'api' };
  await offer({ type: 'recording.started', data, content });
  const gaps: [number, number][] = random.chance(0.3) ? [[1, 0.5]] : [];
  const ledger = { samples: 96_000, gaps, silent_seconds: 0, clipped_samples: 0 };
  await offer(
    random.chance(0.3)
      ? { type: 'capture.interrupted', data: { ...file, ledger, reason: 'device-lost' } }
      : { type: 'audio.captured', data: { ...file, ledger } },
  );
}

/** What a computer's stage answers next. */
async function work(life: Life, stage: Stage): Promise<void> {
  const { random, answer, history, recording } = life;
  switch (stage) {
    case 'transcribe':
      return transcribe(life);
    case 'diarize':
      await answer(
        stage,
        random.chance(0.5)
          ? { type: 'diarization.skipped', data: { reason: 'no-engine' } }
          : { type: 'diarization.completed', data: { engine: 'local', model: 'm', turns: [] } },
      );
      return;
    case 'identify':
      await answer(
        stage,
        random.chance(0.5)
          ? { type: 'identification.skipped', data: { reason: 'no-engine' } }
          : {
              type: 'identification.completed',
              data: languageModel,
              content: { names: [] },
            },
      );
      return;
    case 'join':
      return join(life);
    case 'punctuate': {
      const { raw: blocks } = draft(await recording());
      const model = await modelOf(life, stage);
      const kept = model === languageModel && blocks[0] && random.chance(0.3) ? [blocks[0].id] : [];
      await answer(stage, {
        type: 'transcript.punctuated',
        data: { ...model, parts: 1, kept },
        content: { blocks: blocks.map((block) => ({ ...block, text: `${block.text}.` })) },
      });
      return;
    }
    case 'summarise': {
      if (await isLeft(life, stage)) return;
      const { language } = draft(await recording());
      await answer(stage, {
        type: 'summary.completed',
        data: { ...(await modelOf(life, stage)), parts: 1, language },
        content: { text: `Summary ${history.facts().length} by ${random.pick(names)}` },
      });
      return;
    }
    case 'entitle': {
      if (await isLeft(life, stage)) return;
      const origin = factAt(await recording(), 1, 'audio.imported', 'recording.started');
      const given = origin?.content?.title;
      const number = history.facts().length;
      await answer(stage, {
        type: 'title.chosen',
        data: await modelOf(life, stage),
        content: {
          title: given ?? `Title ${number} of ${random.pick(names)}`,
          abstract: `Abstract ${number}, ${random.pick(names)}`,
        },
      });
      return;
    }
    default:
      throw new Error(`${stage} answers elsewhere`);
  }
}

/** As `stages/finish.ts`: only a first run goes on without a language model, and says so. */
async function modelOf({ random, history, answer }: Life, stage: Stage) {
  const first = !hasDocuments(history.snapshot());
  if (!first || random.chance(0.6)) return languageModel;
  await answer(stage, { type: 'summary.fallback_used', data: { stage, reason: 'not-configured' } });
  return builtIn;
}

/** Whether texts that were to be made again stay as they are, since no language model answers. */
async function isLeft({ random, history, answer }: Life, stage: Stage): Promise<boolean> {
  if (!history.snapshot().context.sources.retelling || random.chance(0.6)) return false;
  return await answer(stage, { type: 'summary.fallback_used', data: { stage, reason: 'away' } });
}

async function transcribe({ random, answer, recording }: Life): Promise<void> {
  const present = await recording();
  const { plan, utterances } = draft(present);
  if (plan === null) {
    const count = random.below(4);
    const stretches = Array.from({ length: count }, (_, at): [number, number] => [
      2 * at,
      2 * at + 2,
    ]);
    const told = warnings.filter(() => random.chance(0.15));
    const data = { detector: 'test', duration: 6, stretches, warnings: told };
    await answer('transcribe', { type: 'speech.detected', data });
    return;
  }
  const stretch = plan[utterances.length];
  if (stretch) {
    const [start, end] = stretch;
    const said = [random.pick(words), random.pick(words)];
    const times = said.map((text, at) => ({ text, start: start + at, end: start + at + 0.5 }));
    const segment: Segment = { start, end: start + 1.5, text: said.join(' '), words: times };
    await answer('transcribe', {
      type: 'utterance.recognised',
      data: { index: utterances.length, start, end, words: 2, language: random.pick(languages) },
      content: { segments: [segment] },
    });
    return;
  }
  await answer('transcribe', {
    type: 'transcription.completed',
    data: {
      engine: 'local',
      model: 'm',
      language: mostHeard(utterances) ?? present.asked.draft,
      utterances: utterances.length,
      words: 2 * utterances.length,
    },
  });
}

async function join({ random, answer, recording }: Life): Promise<void> {
  const { utterances } = draft(await recording());
  const count = 1 + random.below(3);
  const labels = Array.from({ length: count }, (_, at) => `SPEAKER_${at + 1}`);
  const turns = utterances.map(({ start, end, segments }, at): Block => ({
    id: `t-000${at + 1}`,
    speaker: labels[at % labels.length]!,
    start,
    end,
    text: segments.map(({ text }) => text).join(' '),
    words: segments.flatMap(({ words: timed }) => timed),
  }));
  await answer('join', {
    type: 'turns.joined',
    data: { speakers: labels.map((label, at) => ({ label, seconds: at + 1 })) },
    content: {
      turns,
      suggestions: labels.map((label) => ({
        label,
        name: random.chance(0.5) ? random.pick(names) : null,
        confidence: 0.5,
        reason: null,
        sample: null,
      })),
    },
  });
}

/** The write stage from its first fact to its last, as `stages/write.ts` has it. */
async function write(life: Life): Promise<void> {
  const { random, answer, recording, history } = life;
  const before = await recording();
  const unwritten = before.sources.unwritten.map((source) => read(before, source));
  const carried = carriedOver(draft(before), published(before), unwritten);
  if (carried) await answer('write', carried);
  await answer('write', {
    type: 'documents.named',
    data: {
      local_start: '2026-11-20T10:00:00+01:00',
      ui_language: 'en',
      renderer: rendererVersion,
    },
    content: { base: 'Base', title: 'Named' },
  });
  if (random.chance(0.1)) await person(life);
  const { running } = runOf(history.snapshot());
  if (running.write === undefined) return;
  const present = await recording();
  const named = factAt(present, present.sources.draft.results.named, 'documents.named');
  const input = documentsInput(
    history.recordingId,
    draft(present),
    { ...named!.data, ...named!.content! },
    {},
  );
  const documents = renderDocuments(input);
  const version = present.sources.versions.length + 1;
  const sha256 = { index: 'i', transcript: 't', summary: 's' };
  await answer('write', { type: 'documents.rendered', data: { version, sha256 } });
  life.rendered = { input, documents };
  const kept = random.chance(0.1) ? (['summary'] as const) : [];
  await answer('write', {
    type: 'documents.saved',
    data: { version, renderer: rendererVersion, sha256, kept: [...kept] },
    content: { paths: documentPaths(input.base) },
  });
}

/** What a person says or asks for; nothing when it is not possible now. */
async function person(life: Life): Promise<void> {
  const { random, offer, history } = life;
  const recording = await life.recording();
  const present = published(recording);
  const decided = async (decide: DecideRecording): Promise<void> => {
    const facts = decide(recording, stateName(history.snapshot().value));
    if (!isRefusal(facts)) for (const fact of facts) await offer(fact);
  };
  switch (random.below(14)) {
    case 0: {
      await decided(changeRecording({ title: `Mine ${history.facts().length}` }));
      return;
    }
    case 1:
      await offer({ type: 'language.set', data: { language: random.pick(languages) } });
      return;
    case 2:
      await offer({ type: 'kind.changed', data: { kind: random.pick(['solo', 'meeting']) } });
      return;
    case 3:
    case 4: {
      const waits = stateName(history.snapshot().value) === 'awaiting-speakers';
      const index = random.below(3);
      const block = (present ?? (waits ? draft(recording) : null))?.blocks[index];
      if (!block) return;
      const speaker = block.speaker === null ? undefined : random.pick([undefined, ...names]);
      const text = `${block.text} ${random.pick(words)}`;
      await decided(
        random.pick([
          editTurn(index, { text, speaker }, speakerName),
          splitTurn(index, { word: 1, speaker }, speakerName),
          mergeTurn(index),
        ]),
      );
      return;
    }
    case 5: {
      if (!present) return;
      const given = present.speakers.map(({ label }) => [label, random.pick(['', ...names])]);
      const all = Object.fromEntries(given) as Record<string, string>;
      await decided(renameSpeakers(all, { hasLanguageModel: random.chance(0.7) }));
      return;
    }
    case 6: {
      const labels = labelsOf(history.snapshot());
      if (random.chance(0.3)) await offer({ type: 'speakers.postponed', data: {} });
      if (random.chance(0.3)) await offer({ type: 'speakers.skipped', data: {} });
      else {
        const given = Object.fromEntries(labels.map((label) => [label, random.pick(names)]));
        const content = { names: given };
        await offer({ type: 'speakers.named', data: { labels }, content });
      }
      return;
    }
    case 7: {
      const saved = documentsSaved(history.snapshot());
      if (saved > 0) await decided(restoreVersion(1 + random.below(saved)));
      return;
    }
    case 8:
    case 9: {
      const from = random.pick([
        'language-model',
        'speech-to-text',
        'diarize',
        'join',
        'entitle',
        'write',
      ] as const);
      const asked = random.chance(0.3) ? { language: random.pick(languages) } : {};
      await offer({ type: 'reprocessing.requested', data: { from, ...asked } });
      return;
    }
    case 10:
      if (random.chance(0.4)) await offer({ type: 'processing.cancelled', data: {} });
      return;
    case 11:
      await offer({ type: 'retry.requested', data: {} });
      return;
    case 12:
      await offer({ type: 'error.cleared', data: {} });
      return;
    default:
      return rarely(life);
  }
}

async function rarely({ random, offer }: Life): Promise<void> {
  switch (random.below(6)) {
    case 0:
      await offer({
        type: 'document.edited',
        data: { document: 'summary', own: true, replaces: 's' },
        content: { markdown: 'My own words' },
      });
      return;
    case 1: {
      const documents = random.pick([['index', 'transcript', 'summary'], ['summary']] as const);
      await offer({ type: 'documents.deleted', data: { documents: [...documents] } });
      return;
    }
    case 2: {
      const data = { path: 'audio.flac', bytes: 5, sha256: 'bb', replaces: 'audio.wav' };
      await offer({ type: 'audio.compressed', data });
      return;
    }
    case 4: {
      const data = { path: 'audio-2.wav', bytes: 7, sha256: 'cc', duration: 90, before: 60 };
      await offer({ type: 'audio.extended', data: { ...data, replaces: 'audio.wav' } });
      return;
    }
    case 3:
      await offer({ type: 'recording.handed_over', data: { owner: random.pick(['anna', 'ben']) } });
      return;
    default:
      if (random.chance(0.1)) await offer({ type: 'recording.erased', data: {} });
  }
}

async function setback({ random, answer }: Life, stage: Stage): Promise<void> {
  if (random.chance(0.5)) await answer(stage, { type: 'stage.interrupted', data: { stage } });
  else {
    await answer(stage, {
      type: 'stage.failed',
      data: { stage, code: 'internal', retriable: true },
      content: { message: 'It failed.' },
    });
  }
}

const runOf = ({ context }: RecordingSnapshot) => ({ ...context, run: context.sources.run });
const labelsOf = ({ context }: RecordingSnapshot) => [...context.sources.draft.labels];
const documentsSaved = ({ context }: RecordingSnapshot) => context.sources.versions.length;
const hasDocuments = ({ context }: RecordingSnapshot) => context.sources.published !== null;

/** A clock that goes on by a second each time. */
function clockFrom(start: string): () => Date {
  let now = Date.parse(start);
  return () => new Date((now += 1000));
}

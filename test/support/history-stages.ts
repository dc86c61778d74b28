import type { RecordingFactOf, Stage } from '../../events/facts/recording.ts';
import type { Block, Segment, Stretch } from '../../events/facts/transcript.ts';
import { followedIn } from '../../projections/recording/utterances.ts';
import { draft, published, read } from '../../projections/recording/reading.ts';
import { factAt } from '../../projections/recording/recording.ts';
import { documentPaths, documentsInput } from '../../src/documents/documents.ts';
import { renderDocuments, rendererVersion } from '../../src/documents/render.ts';
import { secondPassBy, secondPassDue } from '../../src/recordings/second-pass.ts';
import {
  carriedOver,
  correctedMeanwhile,
} from '../../projections/recording/carried-corrections.ts';
import type { SpeechEngine } from '../../src/speech/engine.ts';
import { goingOn } from '../../src/speech/live/closed-speech.ts';
import { mostHeard } from '../../src/speech/live/decided-language.ts';
import { type Life, hasDocuments, languages, names, runOf, words } from './history-life.ts';
import { person, voiceOf, whoSpeaks } from './history-people.ts';
import type { Random } from './seeded.ts';

const warnings = ['truncated', 'header-repaired', 'damaged', 'quiet', 'silent', 'clipped'];
const builtIn = { engine: 'built-in', model: null };
const languageModel = { engine: 'language-model', model: 'some' };

/** An upload, or a capture that ends well or not. */
export async function begin(life: Life): Promise<void> {
  const { random, offer } = life;
  const origin = {
    owner: 'anna',
    kind: random.pick(['solo', 'meeting'] as const),
    language: random.pick(languages),
    speakers: null,
  };
  const file = { path: 'audio.wav', bytes: 10, sha256: 'aa', duration: 6 };
  const content = random.chance(0.3) ? { title: 'asked for' } : {};
  if (random.chance(0.5)) {
    const data = { ...origin, ...file, started_at: '2026-11-20T09:00:00Z' };
    await offer({ type: 'audio.imported', data, content });
    return;
  }
  const data = { ...origin, device: 'Mic', trigger: 'api' };
  await offer({ type: 'recording.started', data, content });
  if (random.chance(0.8)) await follow(life);
  if (random.chance(0.03)) await offer({ type: 'recording.discarded', data: {} });
  const gaps: [number, number][] = random.chance(0.3) ? [[1, 0.5]] : [];
  const ledger = { samples: 96_000, gaps, silent_seconds: 0, clipped_samples: 0 };
  await offer(
    random.chance(0.3)
      ? { type: 'capture.interrupted', data: { ...file, ledger, reason: 'device-lost' } }
      : { type: 'audio.captured', data: { ...file, ledger } },
  );
}

/** What a computer's stage answers next. */
export async function work(life: Life, stage: Stage): Promise<void> {
  const { random, answer, history, recording } = life;
  switch (stage) {
    case 'transcribe':
      return transcribe(life);
    case 'diarize':
      await answer(
        stage,
        random.chance(0.5)
          ? { type: 'diarization.skipped', data: { reason: 'no-engine' } }
          : {
              type: 'diarization.completed',
              data: { engine: 'local', model: 'm', turns: [] },
              content: {
                embedding_model: 'voices-1',
                voices: [1, 2, 3].map((at) => voiceOf(random, `SPEAKER_${at}`)),
              },
            },
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
        content: {
          text: `Summary ${history.facts().length} by ${random.pick(names)} of ${words.join(', ')}`,
        },
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
    const whole = Array.from({ length: count }, (_, at): Stretch => [2 * at, 2 * at + 2]);
    const told = warnings.filter(() => random.chance(0.15));
    // A further run begins anew.
    const made = present.sources.draft.heardSince === 0 ? followedIn(present) : [];
    const data = {
      detector: 'test',
      duration: 6,
      stretches: goingOn(made, whole),
      warnings: told,
      ...(made.length > 0 ? { live: { utterances: utterances.length } } : {}),
    };
    await answer('transcribe', { type: 'speech.detected', data });
    return;
  }
  const stretch = plan[utterances.length];
  if (stretch) {
    await answer('transcribe', heard(random, utterances.length, stretch));
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
      ...secondPassBy(present, engine, {
        secondPass: () => random.pick([null, 'better']),
        log: { warn() {} },
      }),
    },
  });
}

const engine = { model: 'm', withModel: (model: string) => ({ model }) as SpeechEngine };

/** What is recognised of a stretch: two words. @param voice whose it may be */
function heard(
  random: Random,
  index: number,
  [start, end]: Stretch,
  voice?: string,
): RecordingFactOf<'utterance.recognised'> {
  const said = [random.pick(words), random.pick(words)];
  const times = said.map((text, at) => ({ text, start: start + at, end: start + at + 0.5 }));
  const segment: Segment = { start, end: start + 1.5, text: said.join(' '), words: times };
  return {
    type: 'utterance.recognised',
    data: {
      index,
      start,
      end,
      words: 2,
      language: random.pick(languages),
      ...(voice === undefined ? {} : { voice }),
    },
    content: { segments: [segment] },
  };
}

/** What is recognised while it is recorded, as `stages/live-speech.ts` has it, and what people say meanwhile. */
async function follow(life: Life): Promise<void> {
  const { random, offer, answer, history } = life;
  await offer(
    { type: 'stage.started', data: { stage: 'follow' } },
    { by: 'system', run: 1, attempt: 1 },
  );
  const isMeeting = history.snapshot().context.sources.draft.kind === 'meeting';
  const count = random.below(4);
  for (let index = 0; index < count; index += 1) {
    const cut = random.chance(0.3);
    const stretch: Stretch = [2 * index, 2 * index + (cut ? 2 : 1.9)];
    const data = { detector: 'test', stretches: [stretch], ...(cut ? { cut: true as const } : {}) };
    await answer('follow', { type: 'speech.followed', data });
    // What was said last is recognised after the stop.
    if (index === count - 1 && random.chance(0.3)) break;
    const voice = isMeeting ? `VOICE_${1 + random.below(2)}` : undefined;
    await answer('follow', heard(random, index, stretch, voice));
    // Once more, in the language decided on.
    if (random.chance(0.2)) await answer('follow', heard(random, index, stretch, voice));
    if (isMeeting && random.chance(0.5)) await whoSpeaks(life);
    else if (random.chance(0.3)) await person(life);
    if (!random.chance(0.2)) continue;
    await offer({ type: 'recording.paused', data: {} });
    await offer({ type: 'recording.resumed', data: {} });
  }
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
export async function write(life: Life): Promise<void> {
  const { random, offer, answer, recording, history } = life;
  const before = await recording();
  const unwritten = before.sources.unwritten.map((source) => read(before, source));
  const meanwhile = correctedMeanwhile(before);
  const carried = carriedOver(draft(before), published(before), unwritten, meanwhile);
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
  const next = secondPassDue(present);
  await answer('write', {
    type: 'documents.saved',
    data: { version, renderer: rendererVersion, sha256, kept: [...kept] },
    content: { paths: documentPaths(input.base) },
  });
  if (next) await offer(next, { by: 'system' });
}

export async function setback({ random, answer }: Life, stage: Stage): Promise<void> {
  if (random.chance(0.5)) await answer(stage, { type: 'stage.interrupted', data: { stage } });
  else {
    await answer(stage, {
      type: 'stage.failed',
      data: { stage, code: 'internal', retriable: true },
      content: { message: 'It failed.' },
    });
  }
}

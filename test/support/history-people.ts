import type { NamedVoice } from '../../events/facts/transcript.ts';
import { isRefusal } from '../../events/command-handler.ts';
import { stateName } from '../../machines/states.ts';
import {
  type DecideRecording,
  changeRecording,
  nameSpeakers,
  nameVoices,
  postponeSpeakers,
  renameSpeakers,
  renameVoices,
  restoreVersion,
  revokeVoices,
  skipSpeakers,
} from '../../projections/recording/decide.ts';
import { editTurn, mergeTurn, splitTurn } from '../../projections/recording/edit-turns.ts';
import { draft, published } from '../../projections/recording/reading.ts';
import type { Recording } from '../../projections/recording/recording.ts';
import {
  editSidenote,
  removeSidenote,
  writeSidenote,
} from '../../projections/recording/sidenotes.ts';
import { isToMeasure, namedLabels } from '../../projections/recording/voices.ts';
import { speakerName } from '../../src/documents/documents.ts';
import { type Life, languages, names, words } from './history-life.ts';
import type { Random } from './seeded.ts';

/** What a person says or asks for; nothing when it is not possible now. */
export async function person(life: Life): Promise<void> {
  const { random, offer, history } = life;
  const recording = await life.recording();
  const present = published(recording);
  const decided = (decide: DecideRecording) => decidedOf(life, recording, decide);
  switch (random.below(16)) {
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
    case 4:
      return ofTurns(life);
    case 5: {
      if (!present) return;
      const given = present.speakers.map(({ label }) => [label, random.pick(['', ...names])]);
      const all = Object.fromEntries(given) as Record<string, string>;
      const how = { hasLanguageModel: random.chance(0.7), remember: random.chance(0.5) };
      await decided(renameSpeakers(all, how));
      return;
    }
    case 6:
      return whoSpoke(life);
    case 7: {
      const saved = history.snapshot().context.sources.versions.length;
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
    case 13:
      return ofVoices(life);
    case 14: {
      const note = 1 + random.below(3);
      const at = random.below(60);
      const text = random.pick(words);
      const mark = random.chance(0.2) ? true : undefined;
      await decided(
        random.pick([
          writeSidenote({ text, at, mark, block: random.pick([undefined, 't-0001']) }),
          editSidenote(note, `${text} ${random.pick(words)}`),
          removeSidenote(note),
        ]),
      );
      return;
    }
    default:
      return rarely(life);
  }
}

/** A turn is corrected: more words, or others one after the other in place of its own; or it is cut, or joined. */
async function ofTurns(life: Life): Promise<void> {
  const { random, history } = life;
  const recording = await life.recording();
  const waits = stateName(history.snapshot().value) === 'awaiting-speakers';
  const index = random.below(3);
  const block = (published(recording) ?? (waits ? draft(recording) : null))?.blocks[index];
  if (!block) return;
  const speaker = block.speaker === null ? undefined : random.pick([undefined, ...names]);
  const [, ...rest] = block.text.split(' ');
  const other = `word${history.facts().length}`;
  const edited = (text: string) => editTurn(index, { text, speaker }, speakerName);
  const decisions = random.pick([
    [edited(`${block.text} ${random.pick(words)}`)],
    [edited(`${other} ${rest.join(' ')}`), edited(`${other} ${other}`)],
    [splitTurn(index, { word: 1, speaker }, speakerName)],
    [mergeTurn(index)],
  ]);
  for (const decide of decisions) await decidedOf(life, await life.recording(), decide);
}

async function rarely(life: Life): Promise<void> {
  const { random, offer } = life;
  switch (random.below(7)) {
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
    case 5:
      await offer({ type: 'audio.removed', data: { path: 'audio.wav' } });
      return;
    case 6: {
      const localStart = `2026-11-${10 + random.below(10)}T08:00:00+01:00`;
      await decidedOf(life, await life.recording(), changeRecording({ localStart }));
      return;
    }
    default:
      if (random.chance(0.1)) await offer({ type: 'recording.erased', data: {} });
  }
}

/** Who the speakers of a meeting are; or that this is said later, or never. */
async function whoSpoke(life: Life): Promise<void> {
  const { random } = life;
  const recording = await life.recording();
  const all = named(
    random,
    draft(recording).speakers.map(({ label }) => label),
  );
  const name = nameSpeakers(all, { remember: random.chance(0.7) });
  await decidedOf(life, recording, random.pick([name, name, postponeSpeakers, skipSpeakers]));
}

/** Who is heard while it is recorded. */
export async function whoSpeaks(life: Life): Promise<void> {
  const recording = await life.recording();
  const heard = draft(recording).utterances.flatMap(({ voice }) => voice ?? []);
  await decidedOf(life, recording, nameVoices(named(life.random, heard)));
}

const named = (random: Random, labels: readonly string[]) =>
  Object.fromEntries(labels.map((label) => [label, random.pick(names)]));

/** What people say of the profiles, and what is measured of their voices. */
async function ofVoices(life: Life): Promise<void> {
  const { random, offer } = life;
  const recording = await life.recording();
  const known = namedLabels(recording);
  const waiting = known.filter((one) => isToMeasure(one, newerModel));
  if (waiting.length > 0) {
    const labels = waiting.map(({ label }) => label);
    const measured = labels.filter(() => random.chance(0.7)).map((label) => voiceOf(random, label));
    const voices = measured.map((voice) => ({ ...voice, embedding_model: newerModel }));
    const data = { embedding_model: newerModel, labels };
    await offer({ type: 'voice.measured', data, content: { voices } }, { by: 'system' });
    return;
  }
  if (known.length === 0) return;
  const { version, label } = random.pick(known);
  const confirmed = { version, labels: [label] };
  const rename = renameVoices(confirmed, random.pick(names));
  await decidedOf(life, recording, random.chance(0.5) ? rename : revokeVoices(confirmed));
}

/** How somebody sounds, who said more or less than a profile needs. */
export const voiceOf = (random: Random, label: string): Omit<NamedVoice, 'embedding_model'> => {
  const angle = 2 * Math.PI * random.next();
  return {
    label,
    seconds: random.pick([2, 20]),
    embedding: [Math.cos(angle), Math.sin(angle)],
  };
};

const newerModel = 'voices-2';

async function decidedOf(life: Life, recording: Recording, decide: DecideRecording): Promise<void> {
  const facts = decide(recording, stateName(life.history.snapshot().value));
  if (!isRefusal(facts)) for (const fact of facts) await life.offer(fact);
}

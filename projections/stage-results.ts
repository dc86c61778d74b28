import type { LoggedFact } from '../events/facts/catalogue.ts';
import { type Note, unplacedNote, withNote } from './pass-notes.ts';
import { type Results, ownName, withNames, withSpeaker } from './pass-results.ts';

/**
 * What a stage's result adds to what the pass (number `run`) has led to by now; undefined for facts
 * that are none. Pure.
 */
export function resultOf(
  fact: LoggedFact,
  now: Results,
  run: number,
): Partial<Results> | undefined {
  switch (fact.type) {
    case 'capture.interrupted':
      return noted(now, 'capture-interrupted', fact.data.reason);
    case 'speech.detected': {
      const found = fact.data.warnings.map((code) => ({ code, detail: '' }));
      if (fact.data.stretches.length === 0) found.push({ code: 'no-speech', detail: '' });
      return {
        utterances: { run, count: 0 },
        notes: found.reduce<Note[]>(withNote, now.notes),
      };
    }
    case 'utterance.recognised': {
      const before = now.utterances?.run === run ? now.utterances.count : 0;
      const count = Math.max(before, fact.data.index + 1);
      return { utterances: { run, count } };
    }
    case 'transcription.completed':
      return now.languageSet ? {} : { language: fact.data.language ?? now.language };
    case 'diarization.skipped':
      return noted(now, 'diarization-skipped', fact.data.reason);
    case 'identification.skipped':
      return noted(now, 'identification-skipped', fact.data.reason);
    case 'turns.joined': {
      const { speakers } = fact.data;
      return {
        turns: fact.position,
        blocks: run,
        edited: [],
        unplaced: 0,
        speakers: speakers.map(({ label, seconds }) => ({ label, name: null, seconds })),
        suggestions: speakers.map(({ label, seconds }) => {
          const found = fact.content?.suggestions.find((one) => one.label === label);
          return {
            label,
            suggested_name: found?.name ?? null,
            confidence: found?.confidence ?? null,
            reason: found?.reason ?? null,
            seconds,
            sample: found?.sample ?? null,
          };
        }),
      };
    }
    case 'speakers.named':
      return withNames(now, fact.content?.names);
    case 'speakers.skipped':
      return noted(now, 'speakers-skipped');
    case 'transcript.punctuated':
      return {
        blocks: run,
        edited: [],
        unplaced: 0,
        ...(fact.data.kept.length > 0
          ? noted(now, 'parts-unpunctuated', fact.data.kept.join(', '))
          : {}),
      };
    case 'corrections.carried_over': {
      const { unplaced, labels } = fact.data;
      const others = now.notes.filter(({ code }) => code !== unplacedNote);
      const names = fact.content?.names;
      return {
        edited: [],
        unplaced,
        notes:
          unplaced > 0 ? withNote(others, { code: unplacedNote, detail: `${unplaced}` }) : others,
        speakers: labels.reduce(
          (speakers, label) => withSpeaker(speakers, label, ownName(names, label) ?? undefined),
          now.speakers,
        ),
      };
    }
    case 'summary.fallback_used':
      return noted(now, 'no-language-model');
    case 'summary.completed':
      return { summary: run };
    case 'title.chosen':
      return {
        ...(now.titled ? {} : { title: fact.content?.title ?? null }),
        abstract: fact.content?.abstract ?? null,
      };
    default:
      return undefined;
  }
}

const noted = (now: Results, code: string, detail = ''): Partial<Results> => ({
  notes: withNote(now.notes, { code, detail }),
});

import { thoseWhoSpeak } from '../../projections/recording/reading.ts';
import type { KeptLink, RecordingRow } from '../../projections/recording-row.ts';
import { transcriptOf } from '../../projections/texts.ts';
import { isReadable, sharedState } from './open-links.ts';
import type { Reader } from './readers-language.ts';
import { recordingAnswer, speakerAnswers } from './recording-answer.ts';
import type { HttpServices } from './services.ts';
import { ownerName } from './visible-recording.ts';

type Services = Pick<HttpServices, 'storage' | 'settings' | 'accounts'>;

/** What of a recording a link opens: nothing that its owner keeps beside it (folder, tags, side notes, files, failures). */
export async function sharedNote(
  services: Services,
  { row, link }: { row: RecordingRow; link: KeptLink },
  reader: Reader,
) {
  const { accounts, settings, storage } = services;
  const { audio, live, expiresAt: expires_at } = link;
  const shared = {
    recording_id: row.recordingId,
    shared_by: ownerName(accounts, row.owner),
    live,
    expires_at,
    kind: row.kind,
    ...standing(row, link),
  };
  if (!shared.readable) return { ...shared, ...nothing };
  const transcript = await transcriptOf(storage, row.recordingId);
  const { 'ui.language': uiLanguage } = settings();
  const answer = recordingAnswer(row, transcript, [], { uiLanguage, reader });
  const { title, language, started_at, duration, summary, utterances } = answer;
  const lines = summary.lines.map((one) => ({
    id: one.id,
    text: one.text,
    kind: one.kind,
    section: one.section,
    of_template: one.of_template,
    person: one.person,
    due: one.due,
    due_date: one.due_date,
    done: one.done,
    block: one.block,
  }));
  return {
    ...shared,
    audio: audio && row.audio !== null,
    title,
    language,
    started_at,
    duration,
    speakers: speakerAnswers(thoseWhoSpeak(row.speakers), uiLanguage),
    summary:
      summary.abstract === null && lines.length === 0
        ? null
        : { abstract: summary.abstract, lines },
    turns: utterances.map(({ index, block, start, end, speaker, text, words }) => ({
      index,
      block,
      start,
      end,
      speaker,
      text,
      words: audio ? words : [],
    })),
  };
}

/** How far it is. */
const standing = (row: RecordingRow, link: KeptLink) => ({
  state: sharedState(row),
  paused: row.state === 'recording.paused',
  readable: isReadable(row, link),
  version: row.version,
});

/** What is said of what is not ready. */
const nothing = {
  audio: false,
  title: null,
  language: null,
  started_at: null,
  duration: null,
  speakers: [],
  summary: null,
  turns: [],
};

/** The frame that says how far it is. */
export const sharedFrameOf = (
  { settings }: Pick<HttpServices, 'settings'>,
  row: RecordingRow,
  link: KeptLink,
) => {
  const now = standing(row, link);
  const speakers = now.readable
    ? speakerAnswers(thoseWhoSpeak(row.speakers), settings()['ui.language'])
    : [];
  return { type: 'shared', recording_id: row.recordingId, live: link.live, ...now, speakers };
};

/** The last frame: what was read is to be forgotten. */
export const lastFrame = (recordingId: string, state: 'discarded' | 'over') => ({
  type: 'shared',
  recording_id: recordingId,
  live: false,
  state,
  paused: false,
  readable: false,
  version: 0,
  speakers: [],
});

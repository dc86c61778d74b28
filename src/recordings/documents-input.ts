import type { DocumentsInput } from '../documents/documents.ts';
import type { RecordingContent } from './recording-content.ts';
import { shownBlocks, shownSpeakers, shownTitle } from './transcript-blocks.ts';

/** Everything the three documents are made of, from the log alone: the same log, the same bytes. */
export function documentsInput(
  recordingId: string,
  content: RecordingContent,
  named: { base: string; title: string; local_start: string; ui_language: 'de' | 'en' },
): DocumentsInput {
  const title = shownTitle(content) ?? named.title;
  const former = [named.title, ...content.formerTitles];
  return {
    recordingId,
    base: named.base,
    title,
    aliases: [...new Set(former)].filter((alias) => alias !== title),
    kind: content.source.kind ?? 'solo',
    language: content.language,
    duration: content.duration,
    localStart: named.local_start,
    uiLanguage: named.ui_language,
    speakers: shownSpeakers(content).map(({ label, seconds }) => ({
      label,
      seconds,
      name: content.names[label]?.trim() || null,
    })),
    blocks: shownBlocks(content),
    summary: content.restored?.content?.summary ?? content.summary?.content?.text ?? '',
    abstract: content.restored?.content?.abstract ?? content.title?.content?.abstract ?? '',
    notes: notesOf(content),
  };
}

/** Of what decoding has to tell, that which a reader should know. */
const audioNotes: Readonly<Record<string, string>> = {
  truncated: 'truncated',
  damaged: 'audio-damaged',
  silent: 'silent',
  clipped: 'clipped',
};

/** What a reader should know of how the documents came about; sentences are found by code. */
function notesOf(content: RecordingContent): { code: string; detail: string }[] {
  const notes: { code: string; detail: string }[] = [];
  const note = (code: string, detail = '') => notes.push({ code, detail });
  if (content.captureInterrupted !== null) note('capture-interrupted', content.captureInterrupted);
  if (content.gaps.length > 0) note('gaps', `${secondsMissing(content.gaps)} s`);
  for (const warning of content.plan?.warnings ?? []) {
    const code = audioNotes[warning];
    if (code !== undefined) note(code);
  }
  if (content.plan?.stretches.length === 0) note('no-speech');
  if (content.diarizationSkipped !== null) note('diarization-skipped');
  if (content.speakersSkipped) note('speakers-skipped');
  if (content.fallbacks.length > 0) note('no-language-model');
  if ((content.punctuated?.data.kept.length ?? 0) > 0) {
    note('parts-unpunctuated', content.punctuated!.data.kept.join(', '));
  }
  const unplaced = content.carried?.data.unplaced ?? 0;
  if (unplaced > 0) note('corrections-unplaced', String(unplaced));
  return notes;
}

/** To a tenth, and never 0: something is missing. */
function secondsMissing(gaps: RecordingContent['gaps']): number {
  const seconds = gaps.reduce((sum, [, missing]) => sum + missing, 0);
  return Math.max(0.1, Math.round(seconds * 10) / 10);
}

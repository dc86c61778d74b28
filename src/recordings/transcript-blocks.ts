import type { Block } from '../../events/facts/transcript.ts';
import { paragraphs } from './blocks.ts';
import type { RecordingContent } from './recording-content.ts';

/** The recording's paragraphs or turns, words as recognised. */
export function rawBlocks(content: RecordingContent): Block[] {
  return content.turns?.content?.turns ?? paragraphs(content.utterances, null);
}

/** The transcript before anybody corrected it. */
export const recognisedBlocks = (content: RecordingContent): Block[] =>
  content.punctuated?.content?.blocks ?? rawBlocks(content);

/** The transcript with everything that people corrected. */
export function shownBlocks(content: RecordingContent): Block[] {
  const { restored, carried, edits } = content;
  const blocks = restored?.content?.blocks ?? carried?.content?.blocks ?? recognisedBlocks(content);
  const edited = new Map(edits.map((edit) => [edit.data.block, edit]));
  return blocks.map((block) => {
    const edit = edited.get(block.id);
    if (!edit?.content) return block;
    const { text, words } = edit.content;
    return { ...block, text, words, speaker: edit.data.speaker };
  });
}

/** Everybody who speaks in the transcript, also those whom only a correction found. */
export function shownSpeakers(content: RecordingContent): { label: string; seconds: number }[] {
  const known = content.restored?.data.speakers ?? content.turns?.data.speakers ?? [];
  const others = new Map<string, number>();
  for (const { speaker, start, end } of shownBlocks(content)) {
    if (speaker === null || known.some(({ label }) => label === speaker)) continue;
    others.set(speaker, (others.get(speaker) ?? 0) + end - start);
  }
  return [...known, ...[...others].map(([label, seconds]) => ({ label, seconds }))];
}

/** What the recording is called: by a person, else by the last run. */
export function shownTitle(content: RecordingContent): string | null {
  const { titled, restored, title, origin } = content;
  const given = titled && titled.version > (restored?.version ?? 0) ? titled : null;
  return (
    given?.content?.title ??
    restored?.content?.title ??
    titled?.content?.title ??
    title?.content?.title ??
    origin.content?.title ??
    null
  );
}

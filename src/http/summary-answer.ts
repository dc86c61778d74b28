import { dueDateOf } from '../documents/render-summary.ts';
import { speakerName, withSpeakerNames } from '../documents/documents.ts';
import { labelsIn } from '../documents/labels.ts';
import { abstractTag, lineTag, summaryTag } from '../../projections/recording/edit-summary.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import type { Line } from '../../projections/recording/summary.ts';
import type { TranscriptRow } from '../../projections/texts.ts';
import type { Language } from '../words/params.ts';

type Shown = { uiLanguage: Language; localStart: string };
type Read = Pick<RecordingRow, 'abstract' | 'speakers'>;

/** The summary line by line; of prose, its paragraphs and list items. */
export function summaryAnswer(
  { abstract, speakers }: Read,
  transcript: Pick<TranscriptRow, 'editable' | 'offered'> | undefined,
  { uiLanguage, localStart }: Shown,
) {
  const shown = { speakers, uiLanguage, localStart };
  const { editable = [], offered = null } = transcript ?? {};
  return {
    abstract: abstract === null ? null : withSpeakerNames(shown, abstract),
    abstract_revision: abstractTag({ abstract, speakers }),
    revision: summaryTag({ abstract, speakers }, editable),
    lines: editable.map((line) => lineAnswer(shown, line)),
    offered: offered && { lines: offered.lines.map((line) => lineAnswer(shown, line)) },
  };
}

function lineAnswer(shown: Shown & Pick<Read, 'speakers'>, line: Line) {
  const { id, kind, text, speaker, person, due, block, note, by, done, unfounded, section } = line;
  return {
    id,
    revision: lineTag(shown, line),
    kind,
    section: section ?? (kind === 'text' ? null : labelsIn(shown.uiLanguage)(kind)),
    of_template: section !== undefined,
    // What a person wrote stays as they wrote it.
    text: by === undefined ? withSpeakerNames(shown, text) : text,
    person: speaker === null ? person : speakerName(shown, speaker),
    due,
    due_date: dueDateOf(line, shown.localStart),
    done: done === true,
    block,
    cites: [...(block === null ? [] : [{ block }]), ...(note === undefined ? [] : [{ note }])],
    edited_by: by ?? null,
    ...(unfounded ? { unfounded } : {}),
  };
}

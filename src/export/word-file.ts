import { Document, HeadingLevel, Packer, Paragraph, TextRun } from 'docx';
import { type DocumentsInput, speakerName, withSpeakerNames } from '../documents/documents.ts';
import { labelsIn } from '../documents/labels.ts';
import {
  plainLineOf,
  summarySections,
  plainSidenote,
  sidenoteSection,
  withSidenotes,
} from '../documents/render-summary.ts';
import { clock } from '../shared/time.ts';

/** Summary and transcript as a Word file (Office Open XML). */
export async function wordFile(input: DocumentsInput): Promise<Buffer> {
  const labels = labelsIn(input.uiLanguage);
  const transcript = withSidenotes(input).map((part) => {
    if ('block' in part) return turn(input, part.block);
    if ('interruption' in part) return none(part.interruption);
    return none(`${labels('sidenote')} ${clean(plainSidenote(part.sidenote))}`);
  });
  const sidenotes = sidenoteSection(input);
  const title = clean(input.title);
  const named = (text: string): string => withSpeakerNames(input, text);
  const document = new Document({
    title,
    creator: 'Mitschrift',
    ...(input.language === null ? {} : { language: { value: input.language } }),
    styles: { default: { document: { run: { size: 22 } } } },
    sections: [
      {
        children: [
          new Paragraph({ text: title, heading: HeadingLevel.TITLE }),
          new Paragraph({ text: clean(input.localStart.slice(0, 16).replace('T', ' ')) }),
          ...(input.abstract === '' ? [] : [new Paragraph({ text: clean(named(input.abstract)) })]),
          heading(labels('summary')),
          ...summary(input),
          ...(sidenotes ? ownLines(sidenotes) : []),
          heading(labels('transcript')),
          ...(transcript.length === 0 ? [none(labels('no-speech'))] : transcript),
        ],
      },
    ],
  });
  return Packer.toBuffer(document);
}

function turn(input: DocumentsInput, block: DocumentsInput['blocks'][number]): Paragraph {
  const text = new TextRun({ text: clean(block.text) });
  if (block.speaker === null || input.kind === 'solo') {
    return new Paragraph({ children: [text], spacing });
  }
  const name = clean(speakerName(input, block.speaker));
  return new Paragraph({
    children: [
      new TextRun({ text: name, bold: true }),
      new TextRun({ text: ` [${clock(block.start)}] `, color: '767676' }),
      text,
    ],
    spacing,
  });
}

/** Line by line; of prose, the little Markdown it may hold: headings, lists, bold. */
function summary(input: DocumentsInput): Paragraph[] {
  const sections = summarySections(input);
  if (sections.length === 0 && input.summary.trim() === '')
    return [none(labelsIn(input.uiLanguage)('no-summary'))];
  return sections.length > 0
    ? sections.flatMap(section)
    : prose(withSpeakerNames(input, input.summary));
}

const section = ({ heading, lines }: ReturnType<typeof summarySections>[number]): Paragraph[] => [
  ...(heading === null
    ? []
    : [new Paragraph({ text: clean(heading), heading: HeadingLevel.HEADING_2 })]),
  ...lines.map(
    (line) =>
      new Paragraph({
        text: clean(plainLineOf(line)),
        ...(heading === null ? { spacing } : { bullet: { level: 0 } }),
      }),
  ),
];

const ownLines = ({ heading, lines }: NonNullable<ReturnType<typeof sidenoteSection>>) => [
  new Paragraph({ text: heading, heading: HeadingLevel.HEADING_2 }),
  ...lines.map((line) => new Paragraph({ text: clean(plainSidenote(line)), bullet: { level: 0 } })),
];

function prose(markdown: string): Paragraph[] {
  return markdown
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const title = /^#{1,6} (.*)$/su.exec(line)?.[1];
      if (title !== undefined)
        return new Paragraph({ children: bold(title.trim()), heading: HeadingLevel.HEADING_2 });
      const item = /^(?:[-*+]|\d+[.)]) (.*)$/su.exec(line)?.[1];
      if (item !== undefined)
        return new Paragraph({ children: bold(item.trim()), bullet: { level: 0 } });
      return new Paragraph({ children: bold(line), spacing });
    });
}

/** Every second piece between `**` is bold. */
const bold = (text: string): TextRun[] =>
  clean(text)
    .split('**')
    .map((piece, index) => new TextRun({ text: piece, bold: index % 2 === 1 }));

const heading = (text: string) => new Paragraph({ text, heading: HeadingLevel.HEADING_1 });
const none = (text: string) => new Paragraph({ children: [new TextRun({ text, italics: true })] });
const spacing = { after: 160 };

/** XML 1.0 has no place for control characters, not even escaped: Word refuses a file with one. */
const clean = (text: string): string =>
  text.replaceAll(/\p{Cs}/gu, '\ufffd').replaceAll(/[\ufffe\uffff]|(?![\t\n\r])\p{Cc}/gu, '');

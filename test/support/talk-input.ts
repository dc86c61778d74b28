import type { DocumentsInput } from '../../src/documents/documents.ts';

/** What documents are made of, as plain as may be; tests say what matters to them. */
export const talkInput: DocumentsInput = {
  recordingId: 'R',
  base: 'b',
  title: 'Talk',
  source: null,
  aliases: [],
  kind: 'solo',
  language: null,
  duration: null,
  localStart: '2026-03-01T10:00:00+01:00',
  uiLanguage: 'en',
  times: true,
  links: false,
  lines: [],
  sidenotes: [],
  interruptions: [],
  speakers: [],
  blocks: [],
  summary: '',
  abstract: '',
  notes: [],
};

import { type Words, tellAdministrator } from './sentences.ts';
import type { failuresOfDocuments } from './failures-of-documents.ts';

export const failuresOfDocumentsInGerman = {
  'documents-no-space': {
    detail: 'Die Festplatte des Servers ist voll.',
    todo: 'Löschen Sie Aufnahmen, oder informieren Sie einen Administrator; versuchen Sie es dann erneut.',
  },
  'documents-not-writable': {
    detail: 'Mitschrift darf nicht in Ihren Dokumentenordner auf dem Server schreiben.',
    todo: tellAdministrator.de,
  },
  'document-name-taken': {
    detail: 'Eine andere Datei oder ein Ordner hat den Namen, den das Dokument braucht.',
    todo: 'Benennen Sie sie um und versuchen Sie es erneut.',
  },
  'document-not-text': {
    detail:
      '{document} wurde von Hand geändert und ist kein UTF-8-Text; die Datei kann deshalb nicht verschoben werden.',
    todo: 'Speichern Sie sie als UTF-8 und versuchen Sie es erneut.',
    choices: {
      document: {
        index: 'Die Übersicht',
        transcript: 'Das Transkript',
        summary: 'Die Zusammenfassung',
      },
    },
  },
} satisfies Words<typeof failuresOfDocuments>;

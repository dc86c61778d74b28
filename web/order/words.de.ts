import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  folder: 'Ordner',
  folders: 'Ordner',
  allFolders: 'Alle Ordner',
  noFolder: 'Ohne Ordner',
  folderGone: 'Gelöschter Ordner',
  findFolder: 'Ordner suchen',
  noSuchFolder: 'Kein Ordner „{name}“.',
  createNamedFolder: 'Ordner „{name}“ anlegen',
  newFolder: 'Neuer Ordner…',
  newFolderTitle: 'Neuer Ordner',
  createFolder: 'Ordner anlegen',
  manageFolders: 'Ordner verwalten',
  folderNotMade: 'Der Ordner konnte nicht angelegt werden.',

  tag: 'Schlagwort',
  tags: 'Schlagwörter',
  noTags: 'Noch keine Schlagwörter.',
  notesWithAll: 'Notizen mit allen diesen Schlagwörtern',
  clear: 'Zurücksetzen',
  newTag: 'Neues Schlagwort…',
  newTagTitle: 'Neues Schlagwort',
  createTag: 'Schlagwort anlegen',
  manageTags: 'Schlagwörter verwalten',
  tagNotMade: 'Das Schlagwort konnte nicht angelegt werden.',
  addTag: 'Schlagwort hinzufügen',
  takeOff: 'Schlagwort {name} entfernen',
  tagTakenOff: 'Schlagwort {name} entfernt',
  moreTags: '+{count}',

  folderAndTags: 'Ordner und Schlagwörter',
  movedTo: 'Nach {name} verschoben',
  movedOut: 'Jetzt ohne Ordner',
  noteNotFiled: 'Die Notiz konnte nicht geändert werden.',

  recentChanges: 'Letzte Änderungen',
  recentUntil: 'Bis diese Seite geschlossen wird',
  undo: 'Rückgängig',
  undoThis: 'Rückgängig: {change}',
  documentsUpdated: {
    one: 'Die Dokumente von {count} Notiz werden aktualisiert.',
    many: 'Die Dokumente von {count} Notizen werden aktualisiert.',
  },

  name: 'Name',
  cancel: 'Abbrechen',
  orMore: '{count}+',
} satisfies Translation<English>;

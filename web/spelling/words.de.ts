import type { Translation } from '../words/i18n.ts';
import type { English } from './words.ts';

export default {
  // The part of the page.
  words: 'Wörter',
  intro:
    'Namen und Begriffe, die in Transkripten und Zusammenfassungen richtig geschrieben werden sollen.',
  whose: 'Wessen Wörter',
  mine: 'Meine Wörter',
  houseMeans: 'Diese Wörter gelten in den Aufnahmen aller Personen.',
  houseByAdministrators:
    'Diese Wörter gelten in den Aufnahmen aller Personen. Administratoren ändern sie.',
  notRead: 'Die Wörter konnten nicht gelesen werden.',
  notSaved: 'Das Wort konnte nicht gespeichert werden.',
  none: 'Noch keine Wörter.',
  noneText:
    'Fügen Sie Namen von Personen, Orten und Produkten hinzu, die die Spracherkennung oft falsch schreibt. Was Sie hinzufügen, gilt ab der nächsten Aufnahme.',
  filter: 'Filtern',
  count: { one: '{count} Wort', many: '{count} Wörter' },
  found: { one: '{count} Wort gefunden', many: '{count} Wörter gefunden' },
  add: 'Wort hinzufügen',
  write: 'Schreibweise',
  heard: 'Oft transkribiert als (optional)',
  heardHint: 'Mit Komma trennen. In neuen Transkripten steht stattdessen das Wort.',
  for: 'Für',
  allFolders: 'alle Ordner',
  addIt: 'Hinzufügen',
  delete: 'Löschen',
  editNamed: '{word} bearbeiten',
  taken: 'Ein Wort, das so geschrieben wird, gibt es schon.',
  saved: '{word} wurde gespeichert',
  deleted: '{word} wurde gelöscht',
  helpsRecognition: 'hilft der Spracherkennung',
  howMarked:
    'Im Transkript ist jedes ersetzte Wort gepunktet unterstrichen; ein Klick oder Tippen zeigt, was gehört wurde, und „Zurücksetzen“ stellt das Gehörte wieder her.',
  onlyIn: 'Ordner {folder}',
  heardAs: 'oft transkribiert als',

  // From corrections.
  fromCorrections: 'Aus Ihren Korrekturen',
  correctedIn: '{notes} korrigiert, zuletzt am {day}',
  inNotes: { one: 'in {count} Notiz', many: 'in {count} Notizen' },
  becomes: 'wird geschrieben als',
  always: 'Immer so schreiben',
  alwaysNamed: 'Immer so schreiben: {write}',
  dismissNamed: 'Ausblenden: {write}',
  dismissed: 'Ausgeblendet',
  writtenSo: '„{write}“ wird ab jetzt so geschrieben',
  askAlways: '„{write}“ immer so schreiben?',

  // In older notes.
  findOld: 'In älteren Notizen suchen…',
  findOldNamed: 'In älteren Notizen suchen… {word}',
  inOldNotes: '{word} in älteren Notizen',
  looking: 'Wird gesucht…',
  nowhere: 'In älteren Notizen nicht gefunden.',
  foundIn: '{places} {notes} gefunden.',
  places: { one: '{count}-mal', many: '{count}-mal' },
  oneVersion: 'Jede Notiz bekommt eine neue Version; das Audio bleibt unverändert.',
  partly: 'Bisher lassen sich die neuesten {percent} % Ihrer Notizen durchsuchen.',
  notLooked: 'Die Notizen konnten nicht durchsucht werden.',
  morePlaces: {
    one: '{count} weiterer Beitrag: Suchen Sie danach noch einmal.',
    many: '{count} weitere Beiträge: Suchen Sie danach noch einmal.',
  },
  correctIn: { one: 'In {count} Notiz ersetzen', many: 'In {count} Notizen ersetzen' },
  correcting: '{done} von {total} Notizen…',
  correctedOld: { one: 'In {count} Notiz ersetzt', many: 'In {count} Notizen ersetzt' },
  asBefore: {
    one: '{count} Notiz ist wieder wie vorher',
    many: '{count} Notizen sind wieder wie vorher',
  },
  lookOn: 'Weitersuchen',
  before: 'vorher:',
  after: 'nachher:',

  // In a transcript.
  heardHere: 'Gehört: „{text}“',
  putBack: 'Zurücksetzen',
  wasPutBack: '„{text}“ zurückgesetzt',
  askStop: '„{text}“ auch künftig nicht mehr ersetzen?',
  stop: 'Nicht mehr ersetzen',
  keep: 'Weiter ersetzen',
  stopped: '„{text}“ wird nicht mehr ersetzt',

  // Import.
  importOpen: 'Importieren…',
  importTitle: 'Wörter importieren',
  importText:
    'Ein Wort je Zeile; nach „=“ steht, wie es oft transkribiert wird, mit Komma getrennt. Zum Beispiel: Kubernetes = Kuba Netis, cube and eddies',
  lines: 'Zeilen',
  importNow: 'Importieren',
  chooseFile: 'Datei auswählen…',
  imported: { one: '{count} Wort importiert', many: '{count} Wörter importiert' },
  importLeft: {
    one: '{count} Zeile wurde nicht importiert. Sie bleibt im Feld.',
    many: '{count} Zeilen wurden nicht importiert. Sie bleiben im Feld.',
  },
  'line:empty-term': '„{text}“: Vor „=“ steht kein Wort.',
  'line:too-long': '„{text}“: Ein Wort hat mehr als 64 Zeichen.',
  'line:too-many-heard': '„{text}“: Nach „=“ stehen mehr als 10 Wörter.',
  notImported: 'Die Wörter konnten nicht importiert werden. Es wurde nichts gespeichert.',
} satisfies Translation<English>;

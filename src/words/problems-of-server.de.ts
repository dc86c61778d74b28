import type { problemsOfServer } from './problems-of-server.ts';
import type { Words } from './sentences.ts';

export const problemsOfServerInGerman = {
  internal: {
    title: 'Unerwarteter Fehler',
    detail:
      'Auf dem Server ist ein unerwarteter Fehler aufgetreten. Versuchen Sie es erneut; tritt er wieder auf, wenden Sie sich an einen Administrator[ und nennen Sie die Nummer {request}].',
    admin: 'Einzelheiten stehen unter dieser Nummer im Log.',
  },
  'outcome-unknown': {
    title: 'Unklar, ob gespeichert',
    detail:
      'Der Server konnte nicht bestätigen, ob Ihre Änderung gespeichert wurde. Laden Sie die Seite neu und prüfen Sie das, bevor Sie es erneut versuchen.',
  },
  starting: {
    title: 'Server startet',
    detail:
      'Der Server startet und lädt noch seine Daten. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  },
  busy: {
    title: 'Server ist ausgelastet',
    detail: 'Der Server ist gerade ausgelastet. Versuchen Sie es gleich noch einmal.',
  },
  'views-behind': {
    title: 'Gespeichert, aber noch nicht sichtbar',
    detail:
      'Ihre Änderung wurde gespeichert und erscheint in Kürze. Sie brauchen sie nicht zu wiederholen.',
  },
  'view-stopped': {
    title: 'Änderungen nicht möglich',
    detail:
      'Mitschrift kann seine Listen derzeit nicht aktualisieren und nimmt deshalb keine Änderungen an. Bereits Gespeichertes geht nicht verloren. Informieren Sie einen Administrator.',
    admin: 'Warum die Projektion {list} angehalten hat, steht im Log.',
  },
  'log-damaged': {
    title: 'Gespeicherte Daten beschädigt',
    detail:
      'Ein Teil der gespeicherten Daten ist beschädigt; deshalb kann nichts Neues gespeichert werden. Informieren Sie einen Administrator.',
    admin:
      '`mitschrift verify` listet auf, was beschädigt ist. Stellen Sie eine Sicherung wieder her.',
  },
  unreadable: {
    title: 'Schlüssel fehlt',
    detail:
      'Das lässt sich nicht lesen oder ändern, da der Schlüssel fehlt oder beschädigt ist. Informieren Sie einen Administrator, oder löschen Sie es.',
    admin: 'Legen Sie den Schlüssel aus einer Sicherung zurück und starten Sie den Server neu.',
  },
  'log-newer': {
    title: 'Daten einer neueren Version',
    detail: 'Die Daten stammen von einer neueren Version von Mitschrift. Es wurde nichts geändert.',
    admin: 'Starten Sie diese oder eine neuere Version.',
  },
  stopping: {
    title: 'Server wird beendet',
    detail: 'Der Server wird gerade beendet. Versuchen Sie es erneut, wenn er wieder läuft.',
  },
  'disk-full': {
    title: 'Festplatte des Servers voll',
    detail:
      'Die Festplatte des Servers ist voll; deshalb kann nichts Neues gespeichert werden. Vorhandenes lässt sich weiter lesen und löschen. Informieren Sie einen Administrator, oder löschen Sie Aufnahmen.',
    admin: 'Geben Sie Speicherplatz frei.',
  },
  'log-unavailable': {
    title: 'Gespeicherte Daten nicht erreichbar',
    detail:
      'Der Server kann derzeit nicht auf seine gespeicherten Daten zugreifen. Bereits Gespeichertes geht nicht verloren. Versuchen Sie es gleich noch einmal.',
    admin: 'Das Ereignislog oder seine Datenbank wird neu geöffnet; den Grund nennt das Log.',
  },
  'files-unavailable': {
    title: 'Dateien nicht erreichbar',
    detail:
      'Der Server kann seine Dateien derzeit nicht erreichen. Bereits Gespeichertes geht nicht verloren. Versuchen Sie es gleich noch einmal.',
  },
  unavailable: {
    title: 'Auf diesem Server nicht verfügbar',
    detail: 'Dem Server fehlt etwas, das dafür nötig ist. Wenden Sie sich an einen Administrator.',
  },
  'decoder-stalled': {
    title: 'Audio nicht rechtzeitig gelesen',
    detail:
      'Das Lesen der Datei dauerte zu lange. Versuchen Sie es später noch einmal. Klappt es wieder nicht, wandeln Sie die Datei in WAV um.',
  },
  'space-limit': {
    title: 'Speicherlimit erreicht',
    detail:
      'Das Speicherlimit ist erreicht; deshalb wird nichts Neues angenommen. Löschen Sie Aufnahmen, oder bitten Sie einen Administrator, das Limit zu erhöhen.',
  },
} satisfies Words<typeof problemsOfServer>;

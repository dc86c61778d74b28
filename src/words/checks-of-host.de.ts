import type { Words } from './sentences.ts';
import type { checksOfHost } from './checks-of-host.ts';

export const checksOfHostInGerman = {
  'check-late': {
    detail: 'Die Prüfung wurde nicht innerhalb von {limit} fertig.',
    todo: 'Etwas ist überlastet oder antwortet nicht. Prüfen Sie erneut; bleibt es so, starten Sie das Geprüfte neu.',
  },
  'check-failed': {
    detail: 'Die Prüfung ist fehlgeschlagen: {cause}.',
    todo: 'Beheben Sie die Ursache und prüfen Sie erneut.',
  },
  'service-runs': 'Mitschrift läuft.',
  'service-stopped': { detail: 'Mitschrift läuft nicht.', todo: 'Starten Sie Mitschrift.' },
  'service-silent': {
    detail: 'Mitschrift läuft, antwortet aber nicht: {cause}.',
    todo: 'Starten Sie Mitschrift neu.',
  },
  'node-ok': 'Mitschrift {release} läuft mit Node {node}.',
  'node-untested': {
    detail: 'Mitschrift {release} läuft mit Node {node}, ist aber nur mit {tested} getestet.',
    todo: 'Installieren Sie Node 24 (nodejs.org) und führen Sie danach `npm install` erneut aus.',
  },
  'node-too-old': {
    detail: 'Mitschrift {release} braucht Node {oldest} oder neuer; installiert ist Node {node}.',
    todo: 'Installieren Sie Node 24 (nodejs.org) und führen Sie danach `npm install` erneut aus.',
  },
  'packages-ok': 'Alle für diesen Computer kompilierten Pakete lassen sich laden.',
  'packages-broken': {
    detail: 'Diese Pakete lassen sich nicht laden: {packages}.',
    todo: 'Installieren Sie Compiler und Python und danach die Pakete erneut.',
  },
  'variables-ok': 'Alle Variablen, die mit MITSCHRIFT_ beginnen, sind bekannt.',
  'variables-wrong': {
    detail: 'Mit diesen Werten startet Mitschrift nicht: {faults}',
    todo: 'Korrigieren Sie die Werte dort, wo Mitschrift gestartet wird.',
  },
  'variable-unknown': {
    detail: 'Die Variable {variable} ist unbekannt und hat keine Wirkung.[ Meinten Sie {nearest}?]',
    todo: 'Korrigieren Sie den Namen dort, wo Mitschrift gestartet wird, oder entfernen Sie die Variable.',
  },
  'ffmpeg-ok': 'ffmpeg ist installiert: Alle Audioformate werden angenommen.',
  'ffmpeg-missing': {
    detail: 'ffmpeg ist nicht installiert oder nicht lauffähig: Nur WAV-Dateien werden angenommen.',
    todo: 'Installieren Sie ffmpeg.',
  },
  'bzip2-ok': 'bzip2 ist installiert: Modelle lassen sich entpacken.',
  'bzip2-missing': {
    detail:
      'bzip2 ist nicht installiert oder nicht lauffähig: Die meisten Modelle für Spracherkennung lassen sich nicht entpacken.',
    todo: 'Installieren Sie bzip2.',
  },
  'data-writable': 'Mitschrift kann in {folder} schreiben.',
  'data-not-writable': {
    detail: 'Mitschrift kann nicht in {folder} schreiben: {cause}.',
    todo: 'Machen Sie den Ordner beschreibbar, oder setzen Sie MITSCHRIFT_DATA auf einen anderen.',
  },
  'models-not-writable': {
    detail: 'Mitschrift kann in {folder} schreiben, aber nicht in den Ordner der Modelle: {cause}.',
    todo: 'Machen Sie {models} beschreibbar, oder setzen Sie MITSCHRIFT_MODELS auf einen anderen Ordner. Vorhandene Modelle werden weiter verwendet.',
  },
  'disk-ok': '{free} frei.',
  'disk-low': {
    detail: 'Nur {free} frei. Unter {least} wird nichts Neues angenommen.',
    todo: 'Geben Sie auf der Festplatte von {folder} Speicherplatz frei, oder senken Sie „Minimaler freier Speicherplatz“ (`limits.free_mb`).',
  },
  'space-unlimited': '{taken} belegt; es ist kein Limit festgelegt.',
  'space-within': '{taken} von {limit} belegt (`limits.spaces_gb`).',
  'space-full': {
    detail:
      '{taken} von {limit} belegt (`limits.spaces_gb`); deshalb wird nichts Neues angenommen.',
    todo: 'Löschen Sie Aufnahmen, oder erhöhen Sie das Limit.',
  },
  'permissions-ok': 'Nur der eigene Benutzer von Mitschrift kann die Daten lesen.',
  'files-of-others': {
    detail: 'Diese Dateien gehören einem anderen Benutzer: {paths}.',
    todo: 'Übergeben Sie sie dem Benutzer, unter dem Mitschrift läuft.',
  },
  'files-open': {
    detail: 'Andere Benutzer dieses Computers können möglicherweise lesen: {paths}.',
    todo: 'Entziehen Sie anderen Benutzern die Rechte.',
  },
  'package-broken': {
    detail: '{name} ({consequence}): {cause}',
    choices: {
      consequence: {
        'no-data': 'die Daten lassen sich nicht öffnen',
        'no-login': 'niemand kann sich anmelden',
        'no-local-speech': 'keine Spracherkennung auf diesem Server',
        'no-devices': 'keine Aufnahme von Geräten des Servers',
      },
      cause: { missing: 'nicht installiert', ended: 'ihr Prozess wurde beendet', failed: '{said}' },
    },
  },
} satisfies Words<typeof checksOfHost>;

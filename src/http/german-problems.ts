import type { FieldError, Problem, ProblemType } from './problems.ts';
import { germanText } from './readers-language.ts';

/**
 * A problem in German, and the language of its detail: one that only makes sense word by word, and of which there
 * is no German, stays in English.
 */
export function germanProblem({
  type,
  detail,
  members,
}: Pick<Problem, 'type' | 'detail' | 'members'>): {
  title: string;
  detail: string;
  language: 'de' | 'en';
  errors?: FieldError[];
} {
  const { title, detail: general } = german[type];
  const errors = (members['errors'] ?? []) as readonly FieldError[];
  const fields = errors.map(({ path, message }) => ({ path, message: germanText(message) }));
  const of = {
    title,
    ...(errors.length > 0 && {
      errors: errors.map(({ path, message }, at) => ({
        path,
        message: fields[at]!.message ?? message,
      })),
    }),
  };
  const sentence =
    type === 'invalid' && fields.every(({ message }) => message !== undefined)
      ? fields.map(({ path, message }) => `${path}: ${message}`).join('; ')
      : (germanText(detail) ?? general);
  return sentence === undefined
    ? { ...of, detail, language: 'en' }
    : { ...of, detail: sentence, language: 'de' };
}

/**
 * Each type in German. `detail` stands for every English one of the type; types without it have details that
 * only make sense word by word (which device, which limit, which model).
 */
const german: Readonly<Record<ProblemType, { title: string; detail?: string }>> = {
  'malformed-body': {
    title: 'Der Inhalt ist nicht lesbar',
    detail: 'Was gesendet wurde, ist unvollständig oder in keiner bekannten Form.',
  },
  'malformed-request': {
    title: 'Die Anfrage ist nicht lesbar',
    detail: 'Die Adresse oder eine Kopfzeile der Anfrage ist ungültig.',
  },
  'not-authenticated': {
    title: 'Nicht angemeldet',
    detail: 'Anmelden und noch einmal versuchen.',
  },
  'wrong-credentials': {
    title: 'Name oder Passwort ist falsch',
    detail: 'Name oder Passwort ist falsch.',
  },
  'user-disabled': {
    title: 'Das Konto ist gesperrt',
    detail: 'Ein Administrator kann es wieder freigeben.',
  },
  'not-admin': {
    title: 'Das darf nur ein Administrator',
    detail: 'Einen Administrator dieses Dienstes fragen.',
  },
  'password-change-required': {
    title: 'Das Passwort muss erst geändert werden',
    detail:
      'Ihr Passwort hat jemand anderes gesetzt. Melden Sie sich in einem Browser an, und wählen Sie ein eigenes: Bis dahin lässt sich sonst nichts öffnen.',
  },
  'confirmation-required': {
    title: 'Das Passwort ist noch einmal nötig',
    detail:
      'Geben Sie Ihr Passwort noch einmal ein, und wiederholen Sie es dann. Nichts wurde geändert.',
  },
  'not-a-recorder': { title: 'Sie dürfen hier nicht aufnehmen' },
  'outside-space': {
    title: 'Der Pfad führt aus dem eigenen Bereich hinaus',
    detail: 'Pfade gelten innerhalb des eigenen Bereichs.',
  },
  'setup-code-required': {
    title: 'Der Einrichtungscode wird gebraucht',
    detail:
      'Er steht in dem Link, den der Dienst beim Start ausgibt, und in der Datei setup-code des Datenverzeichnisses.',
  },
  'cross-origin': {
    title: 'Die Anfrage kommt von einer anderen Website',
    detail: 'Nur Seiten dieses Dienstes dürfen das senden.',
  },
  'not-found': {
    title: 'Nicht gefunden',
    detail: 'Hier ist nichts, oder es gehört jemand anderem.',
  },
  'link-over': {
    title: 'Der Link ist nicht mehr gültig',
    detail:
      'Dieser Link ist nicht mehr gültig. Bitten Sie die Person, die ihn geschickt hat, um einen neuen.',
  },
  'too-slow': {
    title: 'Die Anfrage dauert zu lange',
    detail: 'Was gesendet werden sollte, kam nicht oder zu langsam an. Noch einmal senden.',
  },
  'method-not-allowed': { title: 'So geht das hier nicht', detail: 'Das ist hier nicht möglich.' },
  'not-accepted': {
    title: 'Der jetzige Zustand lässt das nicht zu',
    detail: 'In ihrem jetzigen Zustand lässt die Aufnahme das nicht zu. Nichts wurde geändert.',
  },
  'already-set-up': {
    title: 'Der Dienst ist schon eingerichtet',
    detail: 'Es gibt einen Administrator: anmelden.',
  },
  'username-taken': {
    title: 'Den Namen gibt es schon',
    detail: 'Einen anderen Namen wählen.',
  },
  'last-administrator': {
    title: 'Der letzte Administrator muss bleiben',
    detail: 'Erst jemand anderen zum Administrator machen.',
  },
  'own-account': {
    title: 'Mit dem eigenen Konto geht das nicht',
    detail: 'Das kann nur ein anderer Administrator.',
  },
  'administrator-first': {
    title: 'Der erste Benutzer muss Administrator sein',
    detail: 'Erst einen Administrator anlegen.',
  },
  'built-in-user': {
    title: 'Ein eingebauter Benutzer bleibt, wie er ist',
    detail: 'guest und me gehören zum Dienst.',
  },
  'too-many-links': {
    title: 'Zu viele offene Einladungen und Links',
    detail: 'Es sind zu viele Einladungen und Links offen. Ziehen Sie erst einige zurück.',
  },
  overridden: {
    title: 'Von der Umgebung festgelegt',
    detail: 'Diese Einstellungen legt eine Umgebungsvariable fest; dort sind sie zu ändern.',
  },
  'device-unavailable': { title: 'Das Gerät kann gerade nicht aufgenommen werden' },
  'not-recording': {
    title: 'Es wird nichts aufgenommen',
    detail: 'Gerade läuft keine eigene Aufnahme.',
  },
  'already-recording': {
    title: 'Es läuft schon eine Aufnahme',
    detail: 'Erst die laufende Aufnahme beenden.',
  },
  'several-waiting': {
    title: 'Mehrere Aufnahmen warten auf Namen',
    detail: 'Angeben, welche gemeint ist.',
  },
  'no-language-model': {
    title: 'Es ist kein Sprachmodell eingerichtet',
    detail:
      'Nichts wurde begonnen. Ein Sprachmodell angeben (llm.base_url) oder ab der Spracherkennung neu verarbeiten: Das geht ohne.',
  },
  'nobody-waiting': {
    title: 'Keine Aufnahme wartet auf Namen',
    detail: 'Keine eigene Aufnahme wartet auf Namen.',
  },
  'backup-running': {
    title: 'Es läuft schon eine Sicherung',
    detail: 'Eine Sicherung läuft gerade. Danach lässt sich die nächste beginnen.',
  },
  'key-used-differently': {
    title: 'Dieser Idempotency-Key gehört zu einer anderen Anfrage',
    detail: 'Für eine andere Anfrage einen neuen Schlüssel nehmen.',
  },
  'wrong-offset': {
    title: 'Der Upload ist an einer anderen Stelle',
    detail: 'Nachfragen, wie weit er ist, und dort weitermachen.',
  },
  'upload-over': {
    title: 'Der Upload ist vorbei',
    detail: 'Der Upload ist abgelaufen. Noch einmal beginnen.',
  },
  'tus-version': { title: 'Eine andere Fassung des Upload-Protokolls' },
  'changed-meanwhile': {
    title: 'Inzwischen geändert',
    detail: 'Eine andere Änderung war schneller. Neu laden und wiederholen.',
  },
  'too-large': { title: 'Zu groß' },
  'unsupported-media': { title: 'Diese Art von Datei wird nicht angenommen' },
  'range-not-satisfiable': {
    title: 'So weit reicht die Datei nicht',
    detail: 'Der verlangte Bereich beginnt hinter dem Ende der Datei.',
  },
  'host-not-allowed': {
    title: 'Hostname nicht zugelassen',
    detail:
      'Unter diesem Hostnamen nimmt Mitschrift keine Anfragen an. In MITSCHRIFT_SERVER_ALLOWED_HOSTS stehen die Namen, unter denen es erreichbar ist.',
  },
  invalid: { title: 'So nicht gültig' },
  'upgrade-required': {
    title: 'Nur für WebSockets',
    detail: 'Mit einem WebSocket verbinden.',
  },
  'https-required': { title: 'Dieser Dienst spricht https' },
  'too-many-attempts': {
    title: 'Zu viele Versuche',
    detail: 'Eine Weile warten und dann noch einmal versuchen.',
  },
  'too-many-connections': {
    title: 'Zu viele Verbindungen',
    detail: 'Mehr Verbindungen auf einmal gibt es nicht: ein anderes Fenster schließen.',
  },
  internal: {
    title: 'Der Dienst hat einen Fehler gemacht',
    detail: 'Er steht im Protokoll des Dienstes, unter der request_id dieser Antwort.',
  },
  'outcome-unknown': {
    title: 'Es ist nicht bekannt, ob das gespeichert wurde',
    detail: 'Das Protokoll hat es nicht gesagt. Neu laden zeigt, was gespeichert ist.',
  },
  starting: {
    title: 'Der Dienst startet',
    detail:
      'Der Dienst liest noch ein, was er braucht. Nichts wurde geändert; gleich noch einmal versuchen.',
  },
  busy: {
    title: 'Gerade zu viel zu tun',
    detail: 'Gleich noch einmal versuchen.',
  },
  'views-behind': {
    title: 'Gespeichert, aber noch nicht lesbar',
    detail: 'Es ist gespeichert und wird getan, lässt sich aber noch nicht lesen.',
  },
  'view-stopped': {
    title: 'Eine Ansicht des Protokolls steht',
    detail: 'Nichts Gespeichertes ist verloren. Der Grund steht im Protokoll des Dienstes.',
  },
  'log-damaged': {
    title: 'Das Protokoll ist beschädigt',
    detail:
      'Das Protokoll nimmt nichts Neues auf. `mitschrift verify` nennt die Stellen; eine Sicherung wiederherstellen.',
  },
  unreadable: {
    title: 'Der Schlüssel ist verloren',
    detail:
      'Hier lässt sich nichts lesen und nichts hinzufügen: Der Schlüssel fehlt oder ist beschädigt. Ihn aus einer Sicherung zurücklegen und den Dienst neu starten, oder dies löschen.',
  },
  'log-newer': {
    title: 'Das Protokoll ist von einer neueren Version',
    detail: 'Die Version starten, die es geschrieben hat, oder eine neuere.',
  },
  stopping: {
    title: 'Der Dienst wird beendet',
    detail: 'Noch einmal versuchen, wenn er wieder da ist.',
  },
  'disk-full': {
    title: 'Die Platte ist voll',
    detail: 'Auf der Platte des Dienstes muss erst Platz gemacht werden.',
  },
  'log-unavailable': {
    title: 'Das Protokoll ist nicht erreichbar',
    detail:
      'Die Platte verweigert sich, und das Protokoll wird neu geöffnet. Nichts Gespeichertes ist verloren. Gleich noch einmal versuchen.',
  },
  'files-unavailable': {
    title: 'Die Dateien sind nicht erreichbar',
    detail:
      'Die Dateien des Dienstes sind gerade nicht erreichbar. Nichts Gespeichertes ist verloren. Gleich noch einmal versuchen.',
  },
  'space-limit': {
    title: 'Mehr wird hier nicht aufgehoben',
    detail: 'Aufnahmen löschen, oder ein Administrator erhöht die Grenze.',
  },
  unavailable: { title: 'Diesem Rechner fehlt etwas' },
  'decoder-stalled': {
    title: 'Die Datei ließ sich nicht rechtzeitig ansehen',
    detail:
      'ffmpeg kam mit der Datei zu keinem Ende. Später noch einmal versuchen oder sie als WAV senden.',
  },
};

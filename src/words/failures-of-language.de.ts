import { type Words, tellAdministrator } from './sentences.ts';
import type { FaultOfAnswer, failuresOfLanguage } from './failures-of-language.ts';

const faultWords = {
  'no-title': 'enthält keinen Titel',
  'title-lines': 'hat einen mehrzeiligen Titel',
  'title-json': 'hat JSON als Titel',
  'title-title': 'hat als Titel das Wort „Titel“',
  unrelated: 'hat einen Titel oder eine Kurzfassung ohne ein Wort aus dem Gesagten',
  'no-lines': 'enthält keine Zeilen',
  'too-short': 'ist zu kurz',
  unreadable: 'enthält unlesbare Zeichen',
  'repeats-itself': 'wiederholt sich',
  declines: 'lehnt die Aufgabe ab',
  'repeats-task': 'wiederholt die Aufgabe',
  'repeats-text': 'wiederholt das Transkript',
  'other-language': 'ist in einer anderen Sprache',
  empty: 'ist leer',
} as const satisfies Record<FaultOfAnswer, string>;

export const failuresOfLanguageInGerman = {
  'no-language-model': 'Es ist kein Sprachmodell eingerichtet.',
  'language-model-removed': {
    detail: 'Das Sprachmodell ist nicht mehr eingerichtet; die Dokumente sind deshalb unverändert.',
    todo: tellAdministrator.de,
    admin: 'Geben Sie einen Sprachmodell-Server an (`llm.base_url`).',
  },
  'language-server-unreachable': {
    detail: 'Der Sprachmodell-Server ist nicht erreichbar.',
    todo: 'Versuchen Sie es erneut, wenn er läuft.',
    admin: '{server} ({cause})',
  },
  'language-server-closes': {
    detail: 'Der Sprachmodell-Server schließt Verbindungen ohne Antwort.',
    todo: 'Versuchen Sie es erneut, wenn er läuft.',
    admin: 'Das Programm hinter der Adresse läuft vielleicht nicht ({cause}). {server}',
  },
  'language-server-broke-off': {
    detail: 'Der Sprachmodell-Server hat {during} abgebrochen.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}[ ({cause})]',
    choices: { during: { request: 'die Verbindung', answer: 'mitten in der Antwort' } },
  },
  'language-server-stopped-answering': {
    detail: 'Der Sprachmodell-Server hat mitten in der Antwort aufgehört.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}',
  },
  'language-server-busy': {
    detail: 'Der Sprachmodell-Server ist ausgelastet.',
    todo: 'Versuchen Sie es später erneut.',
    admin: '{server}[, „{said}“]',
  },
  'language-server-not-ready': {
    detail: 'Der Sprachmodell-Server ist noch nicht bereit.',
    todo: 'Versuchen Sie es später erneut.',
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'language-server-late': {
    detail: 'Der Sprachmodell-Server hat nicht innerhalb von {limit} geantwortet.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}; Zeitlimit: `llm.timeout`.',
  },
  'language-server-failed': {
    detail: 'Der Sprachmodell-Server hat einen Fehler gemeldet.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'language-server-cannot': {
    detail: 'Der Sprachmodell-Server unterstützt diese Anfrage nicht.',
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'language-server-not-found': {
    detail: 'Der Sprachmodell-Server kennt die Adresse oder das Modell nicht.',
    todo: tellAdministrator.de,
    admin: 'Prüfen Sie Adresse und Modell (`llm.base_url`, `llm.model`). {server}[, „{said}“]',
  },
  'language-answer-broken': {
    detail: 'Die Antwort des Sprachmodell-Servers ist fehlerhaft.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: fehlerhaftes JSON',
  },
  'language-server-refused': {
    detail: 'Der Sprachmodell-Server hat die Anfrage abgelehnt.',
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'language-server-key-wrong': {
    detail: 'Der Sprachmodell-Server weist den API-Schlüssel zurück.',
    todo: tellAdministrator.de,
    admin: 'Prüfen Sie den Schlüssel (`llm.api_key`). {server}[, „{said}“]',
  },
  'language-server-no-credit': {
    detail: 'Das Kontingent beim Sprachmodell-Server ist aufgebraucht.',
    todo: tellAdministrator.de,
    admin: '{server}[, „{said}“]',
  },
  'language-server-redirects': {
    detail: 'Der Sprachmodell-Server leitet zu einer anderen Adresse weiter.',
    todo: tellAdministrator.de,
    admin: '[Wenn Sie ihr vertrauen, tragen Sie {url} als `llm.base_url` ein. ]{server}',
  },
  'language-server-not-api': {
    detail: 'Der Sprachmodell-Server antwortet nicht wie eine API.',
    todo: tellAdministrator.de,
    admin: 'Prüfen Sie die Adresse (`llm.base_url`): {server}. {fault}',
    choices: {
      fault: {
        'not-json': 'Die Antwort ist kein JSON.',
        'too-large': 'Die Antwort ist größer als {limit}.',
      },
    },
  },
  'language-server-certificate': {
    detail: 'Dem Zertifikat des Sprachmodell-Servers wird nicht vertraut.',
    todo: tellAdministrator.de,
    admin: '{server} ({cause})',
  },
  'language-server-no-https': {
    detail: 'Der Sprachmodell-Server unterstützt kein https.',
    todo: tellAdministrator.de,
    admin: 'Versuchen Sie http:// in `llm.base_url`. {server}',
  },
  'language-server-no-model': {
    detail: 'Der Sprachmodell-Server bietet kein Modell an.',
    todo: tellAdministrator.de,
    admin: 'Installieren Sie dort eines, oder setzen Sie `llm.model`. {server}',
  },
  'context-too-small': {
    detail: 'Das Kontextfenster des Sprachmodells ist für diese Aufnahme zu klein.',
    todo: tellAdministrator.de,
    admin:
      '[Es hat nur {read} von mindestens {least} Token gelesen. ]Geben Sie dem Modell auf {server} ein größeres Kontextfenster, oder tragen Sie seine Größe als `llm.context` ein.[ Antwort: „{said}“]',
  },
  'context-too-small-to-merge': {
    detail:
      'Das Kontextfenster des Sprachmodells ist zu klein, um die Teilzusammenfassungen dieser Aufnahme zu verbinden.',
    todo: tellAdministrator.de,
    admin: '`llm.context`',
  },
  'content-refused': {
    detail: 'Das Sprachmodell hat diesen Inhalt abgelehnt.',
    todo: 'Schreiben Sie die Zusammenfassung selbst, oder bitten Sie einen Administrator um ein anderes Modell.',
    admin: '[Antwort: „{said}“]',
  },
  'answer-declined': 'Das Sprachmodell hat die Antwort verweigert.',
  'answer-unfinished': {
    detail: 'Das Sprachmodell hat seine Antwort nicht beendet.',
    todo: 'Versuchen Sie es erneut.',
  },
  'answer-empty': {
    detail: 'Das Sprachmodell hat eine leere Antwort gegeben.',
    todo: 'Versuchen Sie es erneut.',
  },
  'no-title-answered': {
    detail: 'Das Sprachmodell hat keinen brauchbaren Titel geliefert: Die Antwort {fault}.',
    choices: { fault: faultWords },
  },
  'no-summary-answered': {
    detail: 'Das Sprachmodell hat keine brauchbare Zusammenfassung geliefert: Die Antwort {fault}.',
    choices: { fault: faultWords },
  },
} satisfies Words<typeof failuresOfLanguage>;

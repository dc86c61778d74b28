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

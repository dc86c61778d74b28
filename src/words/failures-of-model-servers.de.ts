import { type Words, prefixed, tellAdministrator } from './sentences.ts';
import type { failuresOfModelServers } from './failures-of-model-servers.ts';

const ofOneAway = (of: string, late: string) => ({
  'server-unreachable': {
    detail: `Der ${of}-Server ist nicht erreichbar.`,
    todo: 'Versuchen Sie es erneut, wenn er läuft.',
    admin: '{server} ({cause})',
  },
  'server-closes': {
    detail: `Der ${of}-Server schließt Verbindungen ohne Antwort.`,
    todo: 'Versuchen Sie es erneut, wenn er läuft.',
    admin: 'Das Programm hinter der Adresse läuft vielleicht nicht ({cause}). {server}',
  },
  'server-broke-off': {
    detail: `Der ${of}-Server hat {during} abgebrochen.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}[ ({cause})]',
    choices: { during: { request: 'die Verbindung', answer: 'mitten in der Antwort' } },
  },
  'server-stopped-answering': {
    detail: `Der ${of}-Server hat mitten in der Antwort aufgehört.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}',
  },
  'server-busy': {
    detail: `Der ${of}-Server ist ausgelastet.`,
    todo: 'Versuchen Sie es später erneut.',
    admin: '{server}[, „{said}“]',
  },
  'server-not-ready': {
    detail: `Der ${of}-Server ist noch nicht bereit.`,
    todo: 'Versuchen Sie es später erneut.',
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'server-late': {
    detail: `Der ${of}-Server hat nicht innerhalb von {limit} geantwortet.`,
    todo: 'Versuchen Sie es erneut.',
    admin: `{server}${late}`,
  },
});

const ofAnswers = (of: string, section: string) => ({
  'server-failed': {
    detail: `Der ${of}-Server hat einen Fehler gemeldet.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'server-cannot': {
    detail: `Der ${of}-Server unterstützt diese Anfrage nicht.`,
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'server-not-found': {
    detail: `Der ${of}-Server kennt die Adresse oder das Modell nicht.`,
    todo: tellAdministrator.de,
    admin: `Prüfen Sie Adresse und Modell (\`${section}.base_url\`, \`${section}.model\`). {server}[, „{said}“]`,
  },
  'answer-broken': {
    detail: `Die Antwort des ${of}-Servers ist fehlerhaft.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: fehlerhaftes JSON',
  },
  'server-refused': {
    detail: `Der ${of}-Server hat die Anfrage abgelehnt.`,
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
});

const ofSettings = (of: string, section: string, one: string) => ({
  'server-key-wrong': {
    detail: `Der ${of}-Server weist den API-Schlüssel zurück.`,
    todo: tellAdministrator.de,
    admin: `Prüfen Sie den Schlüssel (\`${section}.api_key\`). {server}[, „{said}“]`,
  },
  'server-no-credit': {
    detail: `Das Kontingent beim ${of}-Server ist aufgebraucht.`,
    todo: tellAdministrator.de,
    admin: '{server}[, „{said}“]',
  },
  'server-redirects': {
    detail: `Der ${of}-Server leitet zu einer anderen Adresse weiter.`,
    todo: tellAdministrator.de,
    admin: `[Wenn Sie ihr vertrauen, tragen Sie {url} als \`${section}.base_url\` ein. ]{server}`,
  },
  'server-not-api': {
    detail: `Der ${of}-Server antwortet nicht wie eine API.`,
    todo: tellAdministrator.de,
    admin: `Prüfen Sie die Adresse (\`${section}.base_url\`): {server}. {fault}`,
    choices: {
      fault: {
        'not-json': 'Die Antwort ist kein JSON.',
        'too-large': 'Die Antwort ist größer als {limit}.',
      },
    },
  },
  'server-certificate': {
    detail: `Dem Zertifikat des ${of}-Servers wird nicht vertraut.`,
    todo: tellAdministrator.de,
    admin: '{server} ({cause})',
  },
  'server-no-https': {
    detail: `Der ${of}-Server unterstützt kein https.`,
    todo: tellAdministrator.de,
    admin: `Versuchen Sie http:// in \`${section}.base_url\`. {server}`,
  },
  'server-no-model': {
    detail: `Der ${of}-Server bietet kein Modell an.`,
    todo: tellAdministrator.de,
    admin: `Installieren Sie dort ${one}, oder setzen Sie \`${section}.model\`. {server}`,
  },
});

const ofServer = (of: string, section: string, one: string, late = '') => ({
  ...ofOneAway(of, late),
  ...ofAnswers(of, section),
  ...ofSettings(of, section, one),
});

export const failuresOfModelServersInGerman = {
  ...prefixed('language', ofServer('Sprachmodell', 'llm', 'eines', '; Zeitlimit: `llm.timeout`.')),
  ...prefixed('embedding', ofServer('Embedding', 'embeddings', 'eines für Embeddings')),
  'embedding-answer-unusable': {
    detail: 'Der Embedding-Server liefert keine brauchbaren Embeddings.',
    todo: tellAdministrator.de,
    admin: 'Prüfen Sie das Modell (`embeddings.model`): {fault}. {server}',
    choices: {
      fault: {
        count: 'nicht ein Embedding je Text',
        numbers: 'keine Listen von Zahlen',
        length: 'Embeddings verschiedener Länge',
      },
    },
  },
} satisfies Words<typeof failuresOfModelServers>;

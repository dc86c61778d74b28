import { type Words, prefixed, tellAdministrator } from './sentences.ts';
import type { failuresOfModelServers } from './failures-of-model-servers.ts';

type Todo = { again: string; later: string };

const ofEveryAway = (of: string, { again, later }: Todo) => ({
  'server-unreachable': {
    detail: `Der ${of} ist nicht erreichbar.`,
    todo: again,
    admin: '{server} ({cause})',
  },
  'server-closes': {
    detail: `Der ${of} schließt Verbindungen ohne Antwort.`,
    todo: again,
    admin: 'Das Programm hinter der Adresse läuft vielleicht nicht ({cause}). {server}',
  },
  'server-broke-off': {
    detail: `Der ${of} hat {during} abgebrochen.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}[ ({cause})]',
    choices: { during: { request: 'die Verbindung', answer: 'mitten in der Antwort' } },
  },
  'server-stopped-answering': {
    detail: `Der ${of} hat mitten in der Antwort aufgehört.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}',
  },
  'server-busy': {
    detail: `Der ${of} ist ausgelastet.`,
    todo: later,
    admin: '{server}[, „{said}“]',
  },
  'server-not-ready': {
    detail: `Der ${of} ist noch nicht bereit.`,
    todo: later,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'server-failed': {
    detail: `Der ${of} hat einen Fehler gemeldet.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
});

const ofEverySetting = (of: string, section: string) => ({
  'server-cannot': {
    detail: `Der ${of} unterstützt diese Anfrage nicht.`,
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'server-refused': {
    detail: `Der ${of} hat die Anfrage abgelehnt.`,
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'server-key-wrong': {
    detail: `Der ${of} weist den API-Schlüssel zurück.`,
    todo: tellAdministrator.de,
    admin: `Prüfen Sie den Schlüssel (\`${section}.api_key\`). {server}[, „{said}“]`,
  },
  'server-no-credit': {
    detail: `Das Kontingent beim ${of} ist aufgebraucht.`,
    todo: tellAdministrator.de,
    admin: '{server}[, „{said}“]',
  },
  'server-redirects': {
    detail: `Der ${of} leitet zu einer anderen Adresse weiter.`,
    todo: tellAdministrator.de,
    admin: `[Wenn Sie ihr vertrauen, tragen Sie {url} als \`${section}.base_url\` ein. ]{server}`,
  },
  'server-certificate': {
    detail: `Dem Zertifikat des ${of}s wird nicht vertraut.`,
    todo: tellAdministrator.de,
    admin: '{server} ({cause})',
  },
  'server-no-https': {
    detail: `Der ${of} unterstützt kein https.`,
    todo: tellAdministrator.de,
    admin: `Versuchen Sie http:// in \`${section}.base_url\`. {server}`,
  },
});

/** @param of the server’s whole name, of which the genitive ends in s */
const ofEvery = (of: string, section: string, todo: Todo) => ({
  ...ofEveryAway(of, todo),
  ...ofEverySetting(of, section),
});

const ofModels = (of: string, section: string, one: string, late = '') => ({
  'server-late': {
    detail: `Der ${of} hat nicht innerhalb von {limit} geantwortet.`,
    todo: 'Versuchen Sie es erneut.',
    admin: `{server}${late}`,
  },
  'server-not-found': {
    detail: `Der ${of} kennt die Adresse oder das Modell nicht.`,
    todo: tellAdministrator.de,
    admin: `Prüfen Sie Adresse und Modell (\`${section}.base_url\`, \`${section}.model\`). {server}[, „{said}“]`,
  },
  'answer-broken': {
    detail: `Die Antwort des ${of}s ist fehlerhaft.`,
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: fehlerhaftes JSON',
  },
  'server-not-api': {
    detail: `Der ${of} antwortet nicht wie eine API.`,
    todo: tellAdministrator.de,
    admin: `Prüfen Sie die Adresse (\`${section}.base_url\`): {server}. {fault}`,
    choices: {
      fault: {
        'not-json': 'Die Antwort ist kein JSON.',
        'too-large': 'Die Antwort ist größer als {limit}.',
      },
    },
  },
  'server-no-model': {
    detail: `Der ${of} bietet kein Modell an.`,
    todo: tellAdministrator.de,
    admin: `Installieren Sie dort ${one}, oder setzen Sie \`${section}.model\`. {server}`,
  },
});

const ofServer = (of: string, section: string, one: string, late?: string) => ({
  ...ofEvery(of, section, {
    again: 'Versuchen Sie es erneut, wenn er läuft.',
    later: 'Versuchen Sie es später erneut.',
  }),
  ...ofModels(of, section, one, late),
});

const goesOn = 'Mitschrift versucht es weiter.';

export const failuresOfModelServersInGerman = {
  ...prefixed('speech', ofEvery('Spracherkennungsserver', 'stt', { again: goesOn, later: goesOn })),
  'speech-server-no-credit': {
    detail: 'Das Konto beim Anbieter der Spracherkennung hat kein Guthaben mehr.',
    todo: tellAdministrator.de,
    admin: '{server}',
  },
  ...prefixed(
    'language',
    ofServer('Sprachmodell-Server', 'llm', 'eines', '; Zeitlimit: `llm.timeout`.'),
  ),
  ...prefixed('embedding', ofServer('Embedding-Server', 'embeddings', 'eines für Embeddings')),
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

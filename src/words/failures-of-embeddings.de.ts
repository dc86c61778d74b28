import { type Words, tellAdministrator } from './sentences.ts';
import type { failuresOfEmbeddings } from './failures-of-embeddings.ts';

export const failuresOfEmbeddingsInGerman = {
  'embedding-server-unreachable': {
    detail: 'Der Embedding-Server ist nicht erreichbar.',
    todo: 'Versuchen Sie es erneut, wenn er läuft.',
    admin: '{server} ({cause})',
  },
  'embedding-server-closes': {
    detail: 'Der Embedding-Server schließt Verbindungen ohne Antwort.',
    todo: 'Versuchen Sie es erneut, wenn er läuft.',
    admin: 'Das Programm hinter der Adresse läuft vielleicht nicht ({cause}). {server}',
  },
  'embedding-server-broke-off': {
    detail: 'Der Embedding-Server hat {during} abgebrochen.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}[ ({cause})]',
    choices: { during: { request: 'die Verbindung', answer: 'mitten in der Antwort' } },
  },
  'embedding-server-stopped-answering': {
    detail: 'Der Embedding-Server hat mitten in der Antwort aufgehört.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}',
  },
  'embedding-server-busy': {
    detail: 'Der Embedding-Server ist ausgelastet.',
    todo: 'Versuchen Sie es später erneut.',
    admin: '{server}[, „{said}“]',
  },
  'embedding-server-not-ready': {
    detail: 'Der Embedding-Server ist noch nicht bereit.',
    todo: 'Versuchen Sie es später erneut.',
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'embedding-server-late': {
    detail: 'Der Embedding-Server hat nicht innerhalb von {limit} geantwortet.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}',
  },
  'embedding-server-failed': {
    detail: 'Der Embedding-Server hat einen Fehler gemeldet.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'embedding-server-cannot': {
    detail: 'Der Embedding-Server unterstützt diese Anfrage nicht.',
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'embedding-server-not-found': {
    detail: 'Der Embedding-Server kennt die Adresse oder das Modell nicht.',
    todo: tellAdministrator.de,
    admin:
      'Prüfen Sie Adresse und Modell (`embeddings.base_url`, `embeddings.model`). {server}[, „{said}“]',
  },
  'embedding-answer-broken': {
    detail: 'Die Antwort des Embedding-Servers ist fehlerhaft.',
    todo: 'Versuchen Sie es erneut.',
    admin: '{server}: fehlerhaftes JSON',
  },
  'embedding-server-refused': {
    detail: 'Der Embedding-Server hat die Anfrage abgelehnt.',
    todo: tellAdministrator.de,
    admin: '{server}: HTTP {status}[, „{said}“]',
  },
  'embedding-server-key-wrong': {
    detail: 'Der Embedding-Server weist den API-Schlüssel zurück.',
    todo: tellAdministrator.de,
    admin: 'Prüfen Sie den Schlüssel (`embeddings.api_key`). {server}[, „{said}“]',
  },
  'embedding-server-no-credit': {
    detail: 'Das Kontingent beim Embedding-Server ist aufgebraucht.',
    todo: tellAdministrator.de,
    admin: '{server}[, „{said}“]',
  },
  'embedding-server-redirects': {
    detail: 'Der Embedding-Server leitet zu einer anderen Adresse weiter.',
    todo: tellAdministrator.de,
    admin: '[Wenn Sie ihr vertrauen, tragen Sie {url} als `embeddings.base_url` ein. ]{server}',
  },
  'embedding-server-not-api': {
    detail: 'Der Embedding-Server antwortet nicht wie eine API.',
    todo: tellAdministrator.de,
    admin: 'Prüfen Sie die Adresse (`embeddings.base_url`): {server}. {fault}',
    choices: {
      fault: {
        'not-json': 'Die Antwort ist kein JSON.',
        'too-large': 'Die Antwort ist größer als {limit}.',
      },
    },
  },
  'embedding-server-certificate': {
    detail: 'Dem Zertifikat des Embedding-Servers wird nicht vertraut.',
    todo: tellAdministrator.de,
    admin: '{server} ({cause})',
  },
  'embedding-server-no-https': {
    detail: 'Der Embedding-Server unterstützt kein https.',
    todo: tellAdministrator.de,
    admin: 'Versuchen Sie http:// in `embeddings.base_url`. {server}',
  },
  'embedding-server-no-model': {
    detail: 'Der Embedding-Server bietet kein Modell an.',
    todo: tellAdministrator.de,
    admin:
      'Installieren Sie dort eines für Embeddings, oder setzen Sie `embeddings.model`. {server}',
  },
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
} satisfies Words<typeof failuresOfEmbeddings>;

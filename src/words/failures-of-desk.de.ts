import type { Words } from './sentences.ts';
import type { failuresOfDesk } from './failures-of-desk.ts';

export const failuresOfDeskInGerman = {
  'mitschrift-server-unreachable': {
    detail: 'Der Mitschrift-Server ist nicht erreichbar.',
    todo: 'Prüfen Sie die Adresse und das Netzwerk.',
    admin: '{server} ({cause})',
  },
  'mitschrift-server-closes': {
    detail: 'Der Mitschrift-Server schließt Verbindungen ohne Antwort.',
    todo: 'Prüfen Sie, ob er läuft.',
    admin: '{server} ({cause})',
  },
  'mitschrift-server-broke-off': {
    detail: 'Der Mitschrift-Server hat {during} abgebrochen.',
    admin: '{server}[ ({cause})]',
    choices: { during: { request: 'die Verbindung', answer: 'mitten in der Antwort' } },
  },
  'mitschrift-server-stopped-answering': {
    detail: 'Der Mitschrift-Server hat mitten in der Antwort aufgehört.',
    admin: '{server}',
  },
  'mitschrift-server-certificate': {
    detail: 'Dem Zertifikat des Mitschrift-Servers wird nicht vertraut.',
    todo: 'Ist es Ihr eigenes, nennen Sie seine Zertifizierungsstelle: NODE_EXTRA_CA_CERTS=/pfad/zur/stelle.pem mitschrift …',
    admin: '{server} ({cause})',
  },
  'mitschrift-server-no-https': {
    detail: 'Der Mitschrift-Server unterstützt kein https.',
    todo: 'Versuchen Sie http:// in der Adresse.',
    admin: '{server}',
  },
  'not-mitschrift': {
    detail: 'Was unter dieser Adresse antwortet, ist nicht Mitschrift.',
    todo: 'Prüfen Sie die Adresse.',
    admin: '{server}',
  },
} satisfies Words<typeof failuresOfDesk>;

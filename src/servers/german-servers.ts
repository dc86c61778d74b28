import type { Phrases } from '../shared/german.ts';

/** Why a server does not answer as it should (`server-failure.ts`, `outbound.ts`), in German. */
export const germanServers: Phrases = {
  'The language-model server at {server}': 'Der Sprachmodell-Server unter {server}',
  'the language-model server at {server}': 'dem Sprachmodell-Server unter {server}',
  '{server} answered with more than {size}, which cannot be an answer.':
    '{server} hat mit mehr als {size} geantwortet.',
  'The name {name} leads to a link-local or metadata address, to which nothing is sent.':
    'Der Name {name} führt zu einer link-lokalen oder Metadaten-Adresse; dorthin wird nichts gesendet.',
  'It says: {said}': 'Er sagt: {said}',
  '{server} redirects to {address}.': '{server} leitet weiter nach {address}.',
  'Set {setting} to that address.': 'Mit {setting} diese Adresse angeben.',
  '{server} does not accept the API key ({setting}).':
    '{server} nimmt den Schlüssel nicht an ({setting}).',
  '{server} does not know this address or model.':
    '{server} kennt diese Adresse oder dieses Modell nicht.',
  'Check stt.base_url, stt.backend and stt.model.':
    'stt.base_url, stt.backend und stt.model prüfen.',
  'Check llm.base_url and llm.model.': 'llm.base_url und llm.model prüfen.',
  'The account at {server} has no credit left.': 'Das Konto bei {server} ist erschöpft.',
  '{server} is busy.': '{server} ist beschäftigt.',
  '{server} is not ready (HTTP {status}).': '{server} ist nicht bereit (HTTP {status}).',
  '{server} cannot do this (HTTP {status}).': '{server} kann das nicht (HTTP {status}).',
  '{server} failed (HTTP {status}).': '{server} ist gescheitert (HTTP {status}).',
  '{server} did not accept the request (HTTP {status}).':
    '{server} hat die Anfrage nicht angenommen (HTTP {status}).',
  'The certificate of {server} is not trusted here ({code}).':
    'Dem Zertifikat von {server} wird hier nicht vertraut ({code}).',
  '{server} does not speak HTTPS: try http://.': '{server} spricht kein HTTPS: http:// versuchen.',
  '{server} stopped in the middle of its answer.': '{server} hat mitten in der Antwort aufgehört.',
  '{server} broke off in the middle of its answer ({code}).':
    '{server} hat mitten in der Antwort abgebrochen ({code}).',
  '{server} closes connections without an answer ({code}).':
    '{server} schließt Verbindungen ohne Antwort ({code}).',
  '{server} cannot be reached ({code}).': '{server} ist nicht erreichbar ({code}).',
  '{server} broke the connection off ({code}).':
    '{server} hat die Verbindung abgebrochen ({code}).',
  'no reason given': 'ohne Grund',
};

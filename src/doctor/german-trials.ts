import type { Phrases } from '../shared/german.ts';

/** What comes of trying a server for speech or language, and why it does not answer. */
export const germanTrials: Phrases = {
  'There is no choice of models: a server of the protocol {protocol} has one.':
    'Modelle stehen nicht zur Wahl: Ein Server des Protokolls {protocol} hat eines.',
  '{server} is an OpenAI-compatible server: set stt.backend to compat.':
    '{server} ist ein Server wie der von OpenAI: stt.backend auf compat setzen.',
  '{server} is a whisper.cpp server: set stt.backend to native.':
    '{server} ist ein Server von whisper.cpp: stt.backend auf native setzen.',
  '{server} cannot transcribe: it has no /audio/transcriptions.':
    '{server} kann nicht transkribieren: /audio/transcriptions fehlt dort.',
  'No language-model server is set: summary and title are extracts of the talk.':
    'Kein Sprachmodell-Server ist gesetzt: Zusammenfassung und Titel sind Auszüge aus dem Gespräch.',
  '{server} is ready.': '{server} ist bereit.',
  '{server} answers.': '{server} antwortet.',
  '{server} answers, and has no list of models.': '{server} antwortet und nennt keine Modelle.',
  'This machine recognises.': 'Dieser Rechner erkennt.',
  'There is no model {model} ({key}). There is: {models}.':
    'Das Modell {model} gibt es nicht ({key}). Es gibt: {models}.',
  '{server} is loading its model, or could not load it.':
    '{server} lädt sein Modell oder konnte es nicht laden.',
  '{server} is not {what}.': '{server} ist kein {what}.',
  'a whisper.cpp server: it has no /health': 'Server von whisper.cpp: /health fehlt dort',
  'a whisper-asr-webservice: it has no /docs': 'whisper-asr-webservice: /docs fehlt dort',
  '{server} does not answer: it may be at work.':
    '{server} antwortet nicht: Vielleicht ist er bei der Arbeit.',
  'There is no speech-to-text engine.': 'Es gibt keine Spracherkennung.',
  'Set MITSCHRIFT_STT_BASE_URL (stt.base_url) to a server, or recognise on this machine: the package sherpa-onnx-node is missing: run npm install again.':
    'Mit MITSCHRIFT_STT_BASE_URL (stt.base_url) einen Server angeben oder auf diesem Rechner erkennen: Das Paket sherpa-onnx-node fehlt: noch einmal npm install ausführen.',
  'Set MITSCHRIFT_STT_BASE_URL (stt.base_url) to a server, or recognise on this machine: install a speech model ({command}), or put one into {folder}.':
    'Mit MITSCHRIFT_STT_BASE_URL (stt.base_url) einen Server angeben oder auf diesem Rechner erkennen: ein Modell für Spracherkennung installieren ({command}) oder eines nach {folder} legen.',
  'The speech model {model} is not installed.':
    'Das Modell für Spracherkennung {model} ist nicht installiert.',
  'No installed speech model speaks the language “{language}”.':
    'Kein installiertes Modell für Spracherkennung kann die Sprache „{language}“.',
  'Installed: {models}.': 'Installiert: {models}.',
};

import type { SpeechEngine } from '../engine.ts';
import { parseTranscript } from '../parse-transcript.ts';
import { probeNative } from './probe-server.ts';
import { type RemoteOptions, meetingSecondsMax, remoteEngine } from './remote-engine.ts';
import { nativeBase, serverName } from '../../shared/outbound.ts';
import { askServer, serverConnections } from './server-client.ts';
import { answerFailure } from './server-failure.ts';

/**
 * Recognises on a whisper.cpp server: `POST {base}/inference` (tried against 233fe1f, 2026-08-22).
 * @param baseUrl with or without `/v1` or `/inference`.
 */
export function nativeEngine(
  baseUrl: string,
  apiKey: string | null,
  options: RemoteOptions = {},
): SpeechEngine {
  const base = nativeBase(baseUrl);
  const name = serverName(base);
  const connections = serverConnections();
  // The server itself knows no keys; a proxy before it may.
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  const transport = {
    engine: 'native',
    queue: base,
    model: null,
    name,
    // Of two channels it tells which is louder: that means the same in every request, however short.
    takesChannels: true,
    tellsSpeakers: false,
    meetingSecondsMax,
    async ask({ file, seconds, language, meeting, signal }) {
      const form = new FormData();
      form.append('file', file);
      const diarize = meeting?.channels ? { diarize: 'true' } : {};
      const fields = { ...inferenceFields, ...diarize, language: language ?? 'auto' };
      for (const [key, value] of Object.entries(fields)) form.append(key, value);
      const request = { method: 'POST', body: form, headers, signal };
      const answer = await askServer(`${base}/inference`, request, connections);
      if (answer.status === 413) return { shorter: seconds / 2 };
      if (answer.status !== 200) throw answerFailure(name, answer, apiKey);
      return parseTranscript(answer.body, answer.contentType, seconds);
    },
    probe: (signal) => probeNative(base, name, connections, signal, options),
    close: () => connections.destroy(),
  } satisfies Parameters<typeof remoteEngine>[0];
  return remoteEngine(transport, options);
}

/**
 * All are text; an empty number would be answered by a 500. `vad` stays off: with it the times of
 * words are not mapped back to the file. `no_timestamps` would take all times away.
 */
const inferenceFields = {
  response_format: 'verbose_json',
  temperature: '0',
  // No second try at a higher temperature: that is where repetition loops come from.
  temperature_inc: '0',
  // A segment is cut at 60 characters in the middle of a word without these two.
  split_on_word: 'true',
  max_len: '100000',
  // Saves one pass of the encoder (1.7 s → 1.1 s).
  no_language_probabilities: 'true',
  // One window's text does not condition the next: fewer loops.
  max_context: '0',
};

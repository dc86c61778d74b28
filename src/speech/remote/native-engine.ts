import type { SpeechEngine } from '../engine.ts';
import { promptOf } from '../terms.ts';
import { parseTranscript } from '../parse-transcript.ts';
import { probeNative, speechServer } from './probe-server.ts';
import { type RemoteOptions, meetingSecondsMax, remoteEngine } from './remote-engine.ts';
import { askServer } from '../../servers/ask-server.ts';
import { nativeBase } from '../../servers/server.ts';
import { answerFailure } from '../../servers/server-failure.ts';

/**
 * Recognises on a whisper.cpp server: `POST {base}/inference` (tried against 233fe1f, 2026-08-22).
 * @param baseUrl with or without `/v1` or `/inference`.
 */
export function nativeEngine(
  baseUrl: string,
  apiKey: string | null,
  options: RemoteOptions = {},
): SpeechEngine {
  // The server itself knows no keys; a proxy before it may.
  const server = speechServer(nativeBase(baseUrl), apiKey);
  const transport = {
    engine: 'native',
    server,
    model: null,
    // Of two channels it tells which is louder: that means the same in every request, however short.
    takesChannels: true,
    tellsSpeakers: false,
    meetingSecondsMax,
    async ask({ file, seconds, language, meeting, terms, signal }) {
      const form = new FormData();
      form.append('file', file);
      const diarize = meeting?.channels ? { diarize: 'true' } : {};
      const prompt = promptFields(promptOf(terms));
      const fields = { ...inferenceFields, ...prompt, ...diarize, language: language ?? 'auto' };
      for (const [key, value] of Object.entries(fields)) form.append(key, value);
      const request = { method: 'POST', body: form, signal };
      const answer = await askServer(server, `${server.base}/inference`, request);
      if (answer.status === 413) return { shorter: seconds / 2 };
      if (answer.status !== 200) throw answerFailure(server, answer);
      return parseTranscript(answer, seconds, server.name);
    },
    probe: (signal) => probeNative(server, signal, options),
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
  // What fails by entropy (a loop) or probability is decoded again a little hotter: Whisper's own repair.
  temperature_inc: '0.2',
  // A segment is cut at 60 characters in the middle of a word without these two.
  split_on_word: 'true',
  max_len: '100000',
  // Saves one pass of the encoder (1.7 s → 1.1 s).
  no_language_probabilities: 'true',
  // One window's text does not condition the next: fewer loops.
  max_context: '0',
};

/**
 * A prompt is left out where `max_context` is 0, and used for the first window alone without `carry_initial_prompt`. Room
 * for the prompt and no more: what is left would be filled with the text of the window before.
 */
const promptFields = (prompt: string | null): Record<string, string> =>
  prompt === null
    ? {}
    : {
        prompt,
        carry_initial_prompt: 'true',
        max_context: String(Math.min(promptTokensMax, Math.ceil(prompt.length / 2.5) + 1)),
      };

const promptTokensMax = 224;

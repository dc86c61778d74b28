import { askServer } from '../../servers/ask-server.ts';
import { asrBase } from '../../servers/server.ts';
import { answerFailure } from '../../servers/server-failure.ts';
import { ofRequest } from '../answer-speakers.ts';
import type { SpeechEngine } from '../engine.ts';
import { promptOf } from '../terms.ts';
import { parseTranscript } from '../parse-transcript.ts';
import { capabilities, noteSpeakers, probeAsr, speechServer } from './probe-server.ts';
import {
  type RemoteOptions,
  type SpeechRequest,
  meetingSecondsMax,
  remoteEngine,
} from './remote-engine.ts';

/**
 * Recognises on a whisper-asr-webservice: `POST {base}/asr`, options in the query. Built with WhisperX it
 * tells speakers apart; other builds do not look at the options for that.
 * @param baseUrl with or without `/asr`.
 */
export function asrEngine(
  baseUrl: string,
  apiKey: string | null,
  options: RemoteOptions = {},
): SpeechEngine {
  // The server itself knows no keys; a proxy before it may.
  const server = speechServer(asrBase(baseUrl), apiKey);
  const transport = {
    engine: 'asr',
    server,
    model: null,
    get tellsSpeakers() {
      return capabilities(server, null).speakers;
    },
    meetingSecondsMax,
    async ask({ file, seconds, request, signal, ...wanted }) {
      const form = new FormData();
      form.append('audio_file', file);
      const url = `${server.base}/asr?${queryOf(wanted).toString()}`;
      const answer = await askServer(server, url, { method: 'POST', body: form, signal });
      if (answer.status === 413) return { shorter: seconds / 2 };
      if (answer.status !== 200) throw answerFailure(server, answer);
      const heard = parseTranscript(answer, seconds, server.name);
      noteSpeakers(capabilities(server, null), heard.segments, wanted.meeting !== null);
      return ofRequest(heard, request);
    },
    probe: (signal) => probeAsr(server, signal, options),
  } satisfies Parameters<typeof remoteEngine>[0];
  return remoteEngine(transport, options);
}

function queryOf({
  language,
  meeting,
  terms,
}: Pick<SpeechRequest, 'language' | 'meeting' | 'terms'>): URLSearchParams {
  const query = new URLSearchParams({
    task: 'transcribe',
    output: 'json', // plain text otherwise
    encode: 'true',
    word_timestamps: 'true',
    vad_filter: 'true',
  });
  // An empty or unknown language is refused; without one it is detected.
  if (language !== null) query.set('language', language);
  const prompt = promptOf(terms);
  if (prompt !== null) query.set('initial_prompt', prompt);
  if (!meeting) return query;
  query.set('diarize', 'true');
  const { min, max } = meeting.speakers;
  if (min !== null) query.set('min_speakers', String(min));
  if (max !== null) query.set('max_speakers', String(max));
  return query;
}

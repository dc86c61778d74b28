import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type StreamEvents, answerGet, answers, send, stream } from './speech-servers-answers.ts';
import { type Kind, type Received, spokenIn } from './speech-servers-speakers.ts';
import { hearTones, type ToneWord } from './speech-servers-tones.ts';

/**
 * Stand-ins for transcription servers that answer as the real ones were seen to answer
 * (their sources and recorded answers): shapes, status codes, content types, traps.
 */

/** What goes wrong with one request. Taken from `faults` in order; then all goes well. */
export type Fault =
  | { do: 'answer'; status: number; type?: string; body?: string; headers?: Record<string, string> }
  /** Takes the request and never answers. */
  | { do: 'hang' }
  /** Closes the connection before, or in the middle of, the answer. */
  | { do: 'die'; after?: string }
  /** Begins a JSON answer and ends it cleanly half way. */
  | { do: 'half' }
  /** Answers only when `release` is called after it. */
  | { do: 'wait' }
  /** Begins a streamed answer with these events, and ends it there; or stays silent from then on. */
  | { do: 'stream'; events: StreamEvents; ends?: boolean };

export type SpeechServer = {
  /** `http://127.0.0.1:port`, without `/v1`. */
  readonly url: string;
  readonly received: Received[];
  readonly faults: Fault[];
  /** Largest body taken; 413 above. */
  bytesMax: number;
  /** What the server understands of the audio. */
  hear: (pcm: Int16Array) => ToneWord[];
  /** Who says a word, by which servers tell speakers apart; null: they do not. */
  voiceOf: ((word: string) => string) | null;
  /** Resolves when the given number of transcriptions has been asked for. */
  asked(count: number): Promise<void>;
  /** Resolves when so many looks (GET) have been taken at it. */
  looked(count: number): Promise<void>;
  /** What it lists, where it does. */
  models: string[];
  /** Its `Server` header, if it has one. */
  software: string | null;
  /** Takes connections and closes them, as a proxy does before a server that is away. */
  closing: boolean;
  /** Leaves looks (GET) at it without an answer: hung, or with one thread that works. */
  mute: boolean;
  /** Takes no new connections; those there are stay open and silent. */
  deaf(): Promise<void>;
  /** Lets requests go on that wait by the fault `wait`; later ones wait for the next call. */
  release(): void;
  /** Stops listening: connections are refused. `up` listens on the same port again. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
};

export async function speechServer(kind: Kind): Promise<SpeechServer> {
  let server: Server | undefined;
  let port = 0;
  let count = 0;
  let looks = 0;
  const watchers = new Set<() => void>();
  const reached = (enough: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!enough()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  let gate = gateway();
  const state: SpeechServer = {
    get url() {
      return `http://127.0.0.1:${port}`;
    },
    received: [],
    faults: [],
    bytesMax: Infinity,
    models: ['tts-1', 'whisper-large'],
    software: kind === 'whisper.cpp' ? 'whisper.cpp' : null,
    closing: false,
    mute: false,
    hear: hearTones,
    voiceOf: null,
    asked: (wanted) => reached(() => count >= wanted),
    looked: (wanted) => reached(() => looks >= wanted),
    release() {
      gate.open();
      gate = gateway();
    },
    async deaf() {
      // `close` waits for the open connections; not listening is enough.
      server?.close();
      await Promise.resolve();
    },
    async down() {
      const closing = server;
      server = undefined;
      closing?.closeAllConnections();
      if (closing?.listening) {
        closing.close();
        await once(closing, 'close');
      }
    },
    async up() {
      server = createServer((request, response) => void handle(request, response));
      server.on('connection', (socket) => state.closing && socket.destroy());
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      ({ port } = server.address() as AddressInfo);
    },
    async close() {
      gate.open();
      await state.down();
    },
  };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      await serve(request, response);
    } catch (error) {
      // The client went away: that is what some tests are about.
      if (!request.destroyed && !response.destroyed) response.destroy(error as Error);
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', state.url).pathname;
    if (state.software) response.setHeader('server', state.software);
    if (request.method === 'GET') {
      looks += 1;
      for (const look of watchers) look();
    }
    if (request.method === 'GET')
      return state.mute ? undefined : answerGet(kind, path, state.models, response);
    const body = await collect(request);
    const received = await receive(request, path, body);
    state.received.push(received);
    count += 1;
    for (const look of watchers) look();
    const fault = state.faults.shift();
    if (fault?.do === 'wait') await gate.promise;
    else if (fault) return await fail(fault, response);
    if (body.length > state.bytesMax)
      return send(response, 413, 'text/html', '<html>413 Request Entity Too Large</html>');
    const heard = received.pcm ? state.hear(received.pcm) : [];
    const seconds = (received.pcm?.length ?? 0) / 16_000;
    const spoken = spokenIn(received, heard, state.voiceOf, state.hear);
    return answers[kind](received, spoken, seconds, response);
  };

  await state.up();
  return state;
}

async function fail(
  fault: Exclude<Fault, { do: 'wait' }>,
  response: ServerResponse,
): Promise<void> {
  if (fault.do === 'hang') return;
  if (fault.do === 'stream') return await stream(response, fault.events, fault.ends);
  if (fault.do === 'answer') {
    for (const [name, value] of Object.entries(fault.headers ?? {}))
      response.setHeader(name, value);
    return send(response, fault.status, fault.type ?? 'text/plain', fault.body ?? '');
  }
  if (fault.do === 'half')
    return send(response, 200, 'application/json', '{"text":"w00 w01","segm');
  if (fault.after === undefined) {
    response.destroy();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
  response.write(fault.after, () => response.destroy());
}

async function collect(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function receive(request: IncomingMessage, path: string, body: Buffer): Promise<Received> {
  const type = request.headers['content-type'] ?? '';
  const fields: Record<string, string[]> = {};
  let file: File | undefined;
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData();
    for (const [name, value] of form.entries()) {
      if (typeof value !== 'string') file = value;
      else (fields[name] ??= []).push(value);
    }
  }
  const { method = '', headers } = request;
  const heard = file ? samplesIn(Buffer.from(await file.arrayBuffer())) : null;
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams;
  const filename = file?.name ?? null;
  const { pcm = null, channels = null } = heard ?? {};
  return { path, method, headers, fields, query, filename, pcm, channels };
}

/** Samples of the plain WAV files we upload; null when it is none, as a server would refuse it. */
function samplesIn(wav: Buffer): Pick<Received, 'pcm' | 'channels'> | null {
  if (wav.toString('latin1', 0, 4) !== 'RIFF' || wav.readUInt32LE(40) !== wav.length - 44)
    return null;
  const pcm = new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length));
  if (wav.readUInt16LE(22) === 1) return { pcm, channels: null };
  const [left, right] = [0, 1].map((side) => pcm.filter((_, i) => i % 2 === side));
  return { pcm: left!.map((sample, i) => (sample + right![i]!) / 2), channels: [left!, right!] };
}

function gateway() {
  let open!: () => void;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}

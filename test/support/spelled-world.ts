import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { BrowserLimits } from '../../src/capture/browser/browser-writer.ts';
import type { Stage } from '../../events/facts/recording.ts';
import type { StageActivity } from '../../src/recordings/stages/run-stage.ts';
import { eventually } from './eventually.ts';
import { type TestService, connect, startService } from './http-client.ts';
import { numbersIn, rate, spelled, spellingStages } from './spelled-audio.ts';

/*
 * A service that hears what audio spells (`spelled-audio.ts`), and what people do there.
 */

export type Note = {
  title: string;
  state: string;
  started_at: string;
  duration: number;
  utterances: { block: string; start: number; end: number; speaker: string | null; text: string }[];
  sidenotes: { note: number; at: number; text: string }[];
  speakers: { label: string; name: string | null }[];
  summary: { lines: { text: string; block: string | null }[] };
  documents: Record<'index' | 'transcript' | 'summary', string>;
  folder: string | null;
  tags: string[];
  version: number;
};
export type Made = { recording_id: string; into: string | null };

export const spelledWorld = async (
  t: TestContext,
  stages: Partial<Record<Stage, StageActivity | undefined>> = {},
  browserLimits: Partial<BrowserLimits> = {},
) => {
  const service: TestService = await startService(t, {
    browserLimits,
    stages: {
      ...spellingStages(() => service.dataDir),
      capture: undefined,
      write: undefined,
      summarise: undefined,
      entitle: undefined,
      ...stages,
    },
  });
  const token = await service.setUp();
  return { service, token };
};

export type World = { service: TestService; token: string };

export const read = async (service: TestService, token: string, id: string): Promise<Note> =>
  (await service.call<Note>('GET', `/recordings/${id}`, { token })).body;

export const heard = async (service: TestService, token: string, id: string): Promise<number[]> => {
  const response = await fetch(`${service.url}/recordings/${id}/audio`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  assert.equal(response.status, 200);
  return numbersIn(new Uint8Array(await response.arrayBuffer()));
};

export const textOf = ({ utterances }: Note): string =>
  utterances.map(({ text }) => text).join(' ');
export const notesOf = ({ sidenotes }: Note) => sidenotes.map(({ at, text }) => [at, text]);

/** A meeting of Ann (even numbers) and Ben (odd ones), with a correction and side notes. */
export async function meeting({ service, token }: World, numbers: number[]): Promise<string> {
  const id = await service.settled(token, { kind: 'meeting' }, { audio: spelled(numbers) });
  const speakers = { SPEAKER_00: 'Ann', SPEAKER_01: 'Ben' };
  await service.named(token, id, speakers);
  return id;
}

export const ask = async <T = Made>(
  { service, token }: World,
  method: string,
  path: string,
  json?: object,
): Promise<T> => {
  const { status, body } = await service.call<T>(method, path, { token, json });
  assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
};

export const correct = async (at: World, id: string, word: string, by: string) => {
  const { utterances } = await read(at.service, at.token, id);
  const index = utterances.findIndex(({ text }) => text.split(' ').includes(word));
  const text = utterances[index]!.text.replace(word, by);
  await ask(at, 'PATCH', `/recordings/${id}/utterances/${index}`, { text });
};

/** Puts it into a folder of its own, under a tag. */
export async function put(at: World, id: string): Promise<Pick<Note, 'folder' | 'tags'>> {
  const made = async (path: string) =>
    (await ask<{ id: string }>(at, 'POST', path, { name: `of ${id}` })).id;
  const order = { folder: await made('/folders'), tags: [await made('/tags')] };
  const { version } = await read(at.service, at.token, id);
  await ask(at, 'PATCH', `/recordings/${id}`, order);
  // Documents say it, and are written again where there are any.
  await eventually(`the documents of ${id} say where it is`, async () => {
    const now = await read(at.service, at.token, id);
    return version === 0 || (now.version > version && now.state === 'idle.saved');
  });
  return order;
}

/** A browser's microphone hears these words, a second each; `more` is of `audio.start`. Resolves with the recording's id. */
export async function record(
  { service, token }: World,
  numbers: number[],
  more: object = {},
  during: (id: string) => Promise<unknown> = async () => {},
): Promise<string> {
  const client = connect(service.url, token);
  await client.until(({ type }) => type === 'position');
  const say = (message: object) => client.socket.send(JSON.stringify(message));
  say({ type: 'audio.start', kind: 'solo', sample_rate: rate, ...more });
  const ready = await client.until(({ type }) => type === 'audio.ready');
  const id = ready['recording_id'] as string;
  for (const number of numbers) client.socket.send(spelled([number]).subarray(44));
  await client.until(
    (frame) => frame.type === 'audio.ack' && frame['samples'] === numbers.length * rate,
  );
  await during(id);
  say({ type: 'audio.stop' });
  await client.until(({ type }) => type === 'audio.ended');
  client.socket.close();
  return id;
}

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { messageWith, startChild } from './child-server.ts';
import { bestOf, type Measured } from './measure.ts';
import { cpuOf } from './processor-time.ts';

export const about = 'a frame to a thousand WebSockets, against bare ws';
export const throughBuild = false;

const clients = 1000;
const broadcasts = 100;
const rounds = 3;

/** Moves to 1 000 WebSockets, 32 a user, against bare `ws` that stringifies each frame once. */
export async function* bench(): AsyncIterable<Measured> {
  const bare = startChild('socket-servers', 'bare');
  const ours = startChild('socket-servers', 'ours');
  const [{ url: theirUrl }, { url: ourUrl, tokens }] = await Promise.all([
    messageWith<{ url: string }>(bare, 'url'),
    messageWith<{ url: string; tokens: string[] }>(ours, 'url'),
  ]);
  const moveAlone = (): Promise<number> =>
    cpuOf(ours.pid!, async () => {
      ours.send({ times: broadcasts });
      await messageWith(ours, 'applied');
    });
  // Appending and folding the moves is no part of telling them. Once to warm up.
  await moveAlone();
  const untold = Math.min(await moveAlone(), await moveAlone(), await moveAlone());
  const all = Array.from({ length: clients }, (_, index) => tokens[index % tokens.length]);
  const mine = await connectAll(all.map((token) => `${ourUrl}/ws?token=${token}&scope=all`));
  const theirs = await connectAll(all.map(() => theirUrl));
  const move = {
    type: 'transition',
    recording_id: '01M7YB8DQZG1E7K5Q61TP77TYM',
    event: 'stage.started',
    from: 'transcribing.writing',
    to: 'transcribing.writing',
    at: '2026-11-21T06:03:51.000Z',
    position: 1,
  };
  const broadcast = (child: ChildProcess, listeners: Listeners) => () =>
    cpuOf(child.pid!, async () => {
      const received = listeners.received(clients * broadcasts);
      child.send({ broadcast: move, times: broadcasts });
      await received;
    });
  // To warm up.
  await bestOf(1, broadcast(ours, mine), broadcast(bare, theirs));
  const best = await bestOf(rounds, broadcast(ours, mine), broadcast(bare, theirs));
  const told = best.ours - untold;
  mine.close();
  theirs.close();
  for (const child of [ours, bare]) child.kill();
  const frames = (microseconds: number) =>
    `${Math.round((clients * broadcasts * 1e6) / microseconds).toLocaleString('en')} frames/CPU s`;
  yield {
    what: `${broadcasts} moves to ${clients} WebSockets, against bare ws stringifying once`,
    ours: frames(told),
    bare: frames(best.bare),
    ratio: best.bare / told,
    aim: '≥ 0.8',
  };
}

type Listeners = { received(more: number): Promise<void>; close(): void };

/** Clients that count the moves they get. */
async function connectAll(addresses: string[]): Promise<Listeners> {
  let count = 0;
  let wake = (): void => {};
  const sockets = await Promise.all(
    addresses.map(async (address, index) => {
      // One address has 256 connections at most.
      const localAddress = `127.0.0.${1 + (index % 8)}`;
      const socket = new WebSocket(address.replace('http', 'ws'), { localAddress });
      socket.on('message', (data: Buffer) => {
        if (!data.includes('"transition"')) return;
        count += 1;
        wake();
      });
      await once(socket, 'open');
      return socket;
    }),
  );
  return {
    async received(more: number): Promise<void> {
      const wanted = count + more;
      await new Promise<void>((resolve) => {
        wake = () => {
          if (count >= wanted) resolve();
        };
      });
    },
    close: () => sockets.forEach((socket) => socket.terminate()),
  };
}

import type { Server } from '../../servers/server.ts';
import { connectionFailure } from '../../servers/server-failure.ts';
import { StageError, type StageFailure } from '../../shared/errors.ts';
import { failure } from '../../words/failures.ts';
import { onAbort } from '../../shared/abort.ts';
import type { WaitingSign, Clock } from '../../shared/retry.ts';
import type { ServerPace } from './capabilities.ts';
import type { ServerState } from './probe-server.ts';

/** What is watched: the server, what it has shown so far, and for how much audio it is asked. */
export type Watched = {
  server: Server;
  pace: ServerPace;
  /** Seconds of audio. */
  seconds: number;
  /** Health or list of models. Never throws but for an abort. */
  probe(signal: AbortSignal): Promise<ServerState>;
  /** Whether it takes connections. Never throws but for an abort. */
  connects(signal: AbortSignal): Promise<boolean>;
  sign: WaitingSign;
  clock: Clock;
};

/** Between two probes of a server at work. */
const probeEveryMs = 60_000;
/** The first probe while it is not known whether the server answers at work, or is back. */
const firstProbeMs = 5000;
/** Probes in a row without an answer that end the wait. */
const unansweredMax = 3;

const limits = {
  /** For the first answer of a server, and as many times the audio's length. */
  firstMs: 30 * 60_000,
  firstFactor: 6,
  /** For any later one. */
  leastMs: 5 * 60_000,
  /** Times the slowest answer so far. */
  factor: 10,
  /** Audio that is shorter counts for so many seconds: what each request costs is not its length. */
  secondsMin: 10,
};

/**
 * Runs one request and tells a hung server from a slow one: it may take ten times as long for a second of
 * audio as the slowest answer so far; meanwhile the server is probed each minute, and the wait ends
 * when three probes were not answered. One that never answered while it worked (single-threaded
 * ones do not) has to take connections only.
 * @throws {StageError} `engine-stalled`, `engine-away`, as `connectionFailure`; the signal's reason.
 */
export async function watchRequest<T>(
  watched: Watched,
  signal: AbortSignal,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { server, pace, seconds, clock } = watched;
  const control = new AbortController();
  const forget = onAbort(signal, (reason) => control.abort(reason));
  const fail = (sentence: StageFailure): void =>
    control.abort(new StageError(sentence, { retriable: true }));
  const limitMs = answerLimitMs(pace.slowest, seconds);
  const ended = (): void => {}; // the request has ended, one way or the other
  clock.wait(limitMs, control.signal).then(() => {
    const limit = Math.ceil(limitMs / 60_000);
    fail(failure('speech-server-stalled', { server: server.name, limit }));
  }, ended);
  probeAtWork(watched, control.signal, fail).catch(ended);
  const began = clock.now();
  try {
    const answer = await request(control.signal);
    const took = (clock.now() - began) / 1000 / Math.max(limits.secondsMin, seconds);
    pace.slowest = Math.max(pace.slowest ?? 0, took);
    return answer;
  } catch (error) {
    control.signal.throwIfAborted(); // the reason, rather than what it did to the connection
    throw connectionFailure(server, error);
  } finally {
    forget();
    control.abort();
  }
}

/** How long an answer may take, in ms. @param slowest see `ServerPace`. */
export function answerLimitMs(slowest: number | null, seconds: number): number {
  if (slowest === null) return Math.max(limits.firstMs, limits.firstFactor * seconds * 1000);
  const audioMs = Math.max(limits.secondsMin, seconds) * 1000;
  return Math.max(limits.leastMs, limits.factor * slowest * audioMs);
}

/** Probes until the signal aborts, shows when there is no answer, and fails after three of them. */
async function probeAtWork(
  { server, pace, probe, connects, sign, clock }: Watched,
  signal: AbortSignal,
  fail: (sentence: StageFailure) => void,
): Promise<void> {
  // The first one only finds out whether it answers at work.
  let unanswered = -1;
  for (let pauseMs = firstProbeMs; ; pauseMs = probeEveryMs) {
    await clock.wait(pauseMs, signal);
    const { answered, state } = await probe(signal);
    if (answered) pace.answersAtWork = true;
    const silent = state === 'busy' && !answered;
    const there = answered || (silent && !pace.answersAtWork && (await connects(signal)));
    signal.throwIfAborted();
    if (there) {
      unanswered = 0;
      sign.clear();
      continue;
    }
    unanswered += 1;
    if (unanswered < 1) continue;
    if (unanswered < unansweredMax)
      sign.show(failure('speech-server-silent', { server: server.name }));
    else if (silent)
      fail(failure('speech-server-stalled', { server: server.name, limit: unansweredMax }));
    else fail(failure('speech-server-lost', { server: server.name }));
  }
}

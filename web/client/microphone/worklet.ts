/**
 * Runs where the sound is: gathers what is heard into blocks of a tenth of a second, 16-bit mono, and posts
 * them; at `pause` also the one that is not full yet. Only here is known for how long nothing came: a page that is
 * busy gets its blocks late.
 */
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: unknown): void;

export type ToWorklet = 'go' | 'pause';
/** A block of samples; that nothing was heard for so long before the next one; or that all have been posted. */
export type FromWorklet = ArrayBuffer | Missed | 'flushed';
/** `before`: what had been gathered until then. */
export type Missed = { missedMs: number; before: ArrayBuffer | null };

/** Sound comes every few milliseconds: after this long without it something is missing. */
const missedFromMs = 2000;

class Gatherer extends AudioWorkletProcessor {
  #block = new Int16Array(Math.round(sampleRate / 10));
  #filled = 0;
  #isGoing = true;
  /** When something was heard last, in milliseconds since 1970; null: nothing since it began or went on. */
  #heardAt: number | null = null;

  constructor() {
    super();
    this.port.addEventListener('message', ({ data }: MessageEvent<ToWorklet>) => {
      this.#isGoing = data === 'go';
      this.#heardAt = null;
      if (data === 'go') return;
      this.#post();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
      this.port.postMessage('flushed' satisfies FromWorklet);
    });
    this.port.start();
  }

  /** Called with 128 frames at a time; mixed down to one channel already. */
  process([input]: Float32Array[][]): boolean {
    const heard = input?.[0];
    if (!this.#isGoing || heard === undefined) return true;
    this.#noteMissed();
    for (const sample of heard) {
      const clipped = Math.max(-1, Math.min(1, sample));
      this.#block[this.#filled] = Math.round(clipped * (clipped < 0 ? 32768 : 32767));
      this.#filled += 1;
      if (this.#filled === this.#block.length) this.#post();
    }
    return true;
  }

  #noteMissed(): void {
    const now = Date.now();
    const missedMs = this.#heardAt === null ? 0 : now - this.#heardAt;
    this.#heardAt = now;
    if (missedMs < missedFromMs) return;
    const before = this.#taken();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
    this.port.postMessage({ missedMs, before } satisfies FromWorklet);
  }

  #post(): void {
    const pcm = this.#taken();
    if (pcm !== null) this.port.postMessage(pcm, [pcm]);
  }

  /** What is gathered, which is begun anew; null: nothing. */
  #taken(): ArrayBuffer | null {
    if (this.#filled === 0) return null;
    const pcm = this.#block.slice(0, this.#filled).buffer;
    this.#filled = 0;
    return pcm;
  }
}

registerProcessor('mitschrift-gatherer', Gatherer);

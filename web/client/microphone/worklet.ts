/**
 * Runs where the sound is: gathers what is heard into blocks of a tenth of a second, 16-bit mono, and posts
 * them; at `pause` also the one that is not full yet.
 */
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: unknown): void;

export type ToWorklet = 'go' | 'pause';
/** A block of samples, or that all of them have been posted. */
export type FromWorklet = ArrayBuffer | 'flushed';

class Gatherer extends AudioWorkletProcessor {
  #block = new Int16Array(Math.round(sampleRate / 10));
  #filled = 0;
  #isGoing = true;

  constructor() {
    super();
    this.port.addEventListener('message', ({ data }: MessageEvent<ToWorklet>) => {
      this.#isGoing = data === 'go';
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
    for (const sample of heard) {
      const clipped = Math.max(-1, Math.min(1, sample));
      this.#block[this.#filled] = Math.round(clipped * (clipped < 0 ? 32768 : 32767));
      this.#filled += 1;
      if (this.#filled === this.#block.length) this.#post();
    }
    return true;
  }

  #post(): void {
    if (this.#filled === 0) return;
    const pcm = this.#block.slice(0, this.#filled).buffer;
    this.#filled = 0;
    this.port.postMessage(pcm, [pcm]);
  }
}

registerProcessor('mitschrift-gatherer', Gatherer);

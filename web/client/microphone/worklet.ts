/**
 * Runs where the sound is: gathers what is heard into blocks of a tenth of a second, 16-bit, of one channel or of two in
 * turn, and posts them; at `pause` also the one that is not full yet. Only here is known for how long nothing came: a page that is
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
  readonly #channels: number;
  #block: Int16Array<ArrayBuffer>;
  #filled = 0;
  #isGoing = true;
  /** When something was heard last, in milliseconds since 1970; null: nothing since it began or went on. */
  #heardAt: number | null = null;

  constructor({ processorOptions }: { processorOptions: { channels: 1 | 2 } }) {
    super();
    this.#channels = processorOptions.channels;
    this.#block = new Int16Array(Math.round(sampleRate / 10) * this.#channels);
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

  /** Called with 128 frames at a time, in as many channels as are wanted. */
  process([input]: Float32Array[][]): boolean {
    const frames = input?.[0]?.length;
    if (!this.#isGoing || input === undefined || frames === undefined) return true;
    this.#noteMissed();
    for (let at = 0; at < frames; at += 1) {
      for (let channel = 0; channel < this.#channels; channel += 1)
        this.#put(input[channel]?.[at] ?? 0);
      if (this.#filled === this.#block.length) this.#post();
    }
    return true;
  }

  #put(sample: number): void {
    const clipped = Math.max(-1, Math.min(1, sample));
    this.#block[this.#filled] = Math.round(clipped * (clipped < 0 ? 32768 : 32767));
    this.#filled += 1;
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

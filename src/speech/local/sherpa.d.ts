/** What we use of sherpa-onnx-node 1.13.8, which ships JSDoc only. */
declare module 'sherpa-onnx-node' {
  class OfflineStream {
    readonly handle: unknown;
    acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
  }
  class OfflineRecognizer {
    /** Rejects when files are missing; aborts the process when they are damaged. */
    static createAsync(config: Record<string, unknown>): Promise<OfflineRecognizer>;
    createStream(): OfflineStream;
    /** Decodes on a thread of libuv's pool. */
    decodeAsync(stream: OfflineStream): Promise<Record<string, unknown>>;
  }
  class Vad {
    constructor(config: Record<string, unknown>, bufferSeconds: number);
    /** Null when a file is missing: the constructor does not throw. */
    readonly handle: unknown;
    /** Exactly `windowSize` samples a call. */
    acceptWaveform(samples: Float32Array): void;
    isEmpty(): boolean;
    /** Kills the process when empty. `start` is in samples. */
    front(external?: boolean): { start: number; samples: Float32Array };
    pop(): void;
    flush(): void;
  }
  const sherpa: { OfflineRecognizer: typeof OfflineRecognizer; Vad: typeof Vad };
  export type { OfflineRecognizer, OfflineStream, Vad };
  export default sherpa;
}
declare module 'sherpa-onnx-node/addon.js' {
  const addon: { getOfflineStreamResultAsJson(stream: unknown): string };
  export default addon;
}

/** What we use of sherpa-onnx-node 1.13.8, which ships JSDoc only. */
declare module 'sherpa-onnx-node' {
  class OfflineStream {
    readonly handle: unknown;
    acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
  }
  class OfflineRecognizer {
    /** Rejects when files are missing; aborts the process when they are damaged. */
    static createAsync(config: Record<string, unknown>): Promise<OfflineRecognizer>;
    /** @param hotwords end the process where the model or its search takes none */
    createStream(hotwords?: string): OfflineStream;
    /** Decodes on a thread of libuv's pool. */
    decodeAsync(stream: OfflineStream): Promise<Record<string, unknown>>;
  }
  class OfflineSpeakerDiarization {
    /** Throws when files are missing; aborts the process when they are damaged. */
    constructor(config: Record<string, unknown>);
    readonly sampleRate: number;
    /** Blocks until all is done: there is neither progress nor cancelling. Turns may overlap. */
    process(samples: Float32Array): { start: number; end: number; speaker: number }[];
  }
  class OnlineStream {
    acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
    inputFinished(): void;
  }
  class OnlineRecognizer {
    /** Ends the process when files are damaged. */
    constructor(config: Record<string, unknown>);
    createStream(): OnlineStream;
    isReady(stream: OnlineStream): boolean;
    /** Blocks for a chunk; only when ready. */
    decode(stream: OnlineStream): void;
    getResult(stream: OnlineStream): { text: string };
  }
  class SpeakerEmbeddingExtractor {
    constructor(config: Record<string, unknown>);
    readonly dim: number;
    createStream(): OnlineStream;
    /** False for too little audio. */
    isReady(stream: OnlineStream): boolean;
    compute(stream: OnlineStream, external?: boolean): Float32Array;
  }
  class OnlinePunctuation {
    /** Ends the process when files are missing or damaged. */
    constructor(config: Record<string, unknown>);
    /** Blocks. Of lower-case words; the same words with marks and capitals. */
    addPunct(text: string): string;
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
  const sherpa: {
    OfflineRecognizer: typeof OfflineRecognizer;
    OfflineSpeakerDiarization: typeof OfflineSpeakerDiarization;
    OnlinePunctuation: typeof OnlinePunctuation;
    OnlineRecognizer: typeof OnlineRecognizer;
    SpeakerEmbeddingExtractor: typeof SpeakerEmbeddingExtractor;
    Vad: typeof Vad;
  };
  export type {
    OfflineRecognizer,
    OfflineSpeakerDiarization,
    OfflineStream,
    OnlineRecognizer,
    OnlineStream,
    SpeakerEmbeddingExtractor,
    Vad,
  };
  export default sherpa;
}
declare module 'sherpa-onnx-node/addon.js' {
  const addon: { getOfflineStreamResultAsJson(stream: unknown): string };
  export default addon;
}

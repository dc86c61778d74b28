/** What we use of @echogarden/fvad-wasm 0.2.0 (libfvad compiled by Emscripten; it ships no types). */
declare module '@echogarden/fvad-wasm' {
  type Fvad = {
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _free(pointer: number): void;
    /** 0 when there is no memory. */
    _fvad_new(): number;
    _fvad_free(detector: number): void;
    /** 0 to 3, the last the strictest; -1 when invalid. */
    _fvad_set_mode(detector: number, mode: number): number;
    _fvad_set_sample_rate(detector: number, rate: number): number;
    /** 1 speech, 0 none, -1 for a frame length other than 10, 20 or 30 ms. */
    _fvad_process(detector: number, frame: number, samples: number): number;
  };
  export default function load(): Promise<Fvad>;
}

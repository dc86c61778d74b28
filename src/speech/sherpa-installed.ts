import { createRequire } from 'node:module';

/** Whether sherpa-onnx-node, an optional dependency, is installed. Does not load it. */
export function sherpaInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('sherpa-onnx-node');
    return true;
  } catch {
    return false;
  }
}

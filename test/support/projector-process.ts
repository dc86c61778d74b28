/** Builds rows up to a fact at which it hangs: `projector-process.js URL VERSION POSITION`. Says `hangs`. */
import { writeSync } from 'node:fs';
import { counter, openProjectorNode } from './projector-node.ts';

const [url, version, hangsAt] = process.argv.slice(2) as [string, string, string];
await openProjectorNode(
  { url, leaseMs: 2_000 },
  counter(Number(version), (position) => {
    if (position < Number(hangsAt)) return;
    writeSync(1, 'hangs\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }),
);

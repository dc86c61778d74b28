import type { Stage } from '../../events/facts/recording.ts';

/** What `cluster-node.ts` is started with. */
export type NodeOptions = {
  seed: number;
  leaseMs: number;
  /** An engine takes half to one and a half of it for each of its results, in milliseconds. */
  paceMs: number;
  /** Whether it acts only for the recordings that it holds among all nodes. */
  isGated: boolean;
};

/** What it prints: where it listens, which activity has started and how it ended. */
export type NodeLine =
  | { ready: string }
  | { began: string; stage: Stage; launch: number }
  | { ended: number; how: 'answered' | 'stopped' | 'refused' };

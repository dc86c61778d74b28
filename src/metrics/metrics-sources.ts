import type { ProjectionStorage } from '../../projections/projection.ts';
import type { ProjectionRunner } from '../../projections/runner.ts';
import type { RecordingsDesk } from '../recordings/desk.ts';

/** What the figures are taken from. */
export type MetricsSources = {
  store: { head(): number };
  storage: ProjectionStorage;
  projections: Pick<ProjectionRunner, 'states' | 'onApplied'>;
  desk: Pick<RecordingsDesk, 'activity'>;
  /** How far the integrity scrub is: everything up to `verified` was found sound; when a pass was completed. */
  scrub?: () => { verified: number; completedAt: string | null };
  /** Bytes that documents, recordings and uploads take, and may take; null: not counted yet, any number. */
  space?: { taken(): number | null; limit(): number | null };
  /** Whether to tell of the process too (memory, processor, event loop). */
  process?: boolean;
};

import { durations, tally } from './tally.ts';

/** What is counted while the service runs; the rest is looked up when somebody asks. */
export type Counted = ReturnType<typeof counters>;

/** Counters at zero. */
export const counters = () => ({
  facts: tally(['type']),
  stages: durations(['stage'], stageBuckets),
  failures: tally(['stage']),
  requests: durations(['method', 'route', 'status'], requestBuckets),
  /** WebSockets that are open. */
  sockets: 0,
});

/** Of a recording that goes through: seconds from 0.1 to four hours. */
const stageBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400];
const requestBuckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600];

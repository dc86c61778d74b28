import type { GaugeConfiguration } from 'prom-client';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { ClusterMember } from '../storage/cluster.ts';

export type AddGauge = (gauge: Omit<GaugeConfiguration<string>, 'registers'>) => void;

/** Gauges without labels, by name: what each says, and how it is read. */
export type Figures = Readonly<
  Record<string, readonly [help: string, read: () => number | Promise<number>]>
>;

export function addFigures(add: AddGauge, figures: Figures): void {
  for (const [name, [help, read]] of Object.entries(figures)) {
    add({
      name,
      help,
      async collect() {
        this.set(await read());
      },
    });
  }
}

/** What the figures of a node are taken from. */
export type NodeSources = {
  store: { head(): Promise<number> };
  projections: Pick<ProjectionRunner, 'position'>;
  recordingService: Pick<OpenRecordingService, 'slotsUsed'>;
  cluster: ClusterMember;
};

/** Kinds of names that a node claims; the rest is `other`. */
const kinds = ['projector', 'recording', 'audio', 'upload', 'other'] as const;

/** What one node of a cluster does and holds. Of all nodes together it is for Prometheus to add up. */
export function watchNode(
  { store, projections, recordingService, cluster }: NodeSources,
  add: AddGauge,
): void {
  const { host, process: number, role, version, slots } = cluster.self;
  add({
    name: 'mitschrift_node_info',
    help: 'Which node of the cluster this is; always 1.',
    labelNames: ['node', 'process', 'role', 'version'],
    collect() {
      this.set({ node: host, process: String(number), role, version }, 1);
    },
  });
  add({
    name: 'mitschrift_claims_held',
    help: 'Names that this node has for itself, by kind.',
    labelNames: ['kind'],
    collect() {
      const held = cluster.held().map((name) => kindOf(name));
      for (const kind of kinds) this.set({ kind }, held.filter((one) => one === kind).length);
    },
  });
  add({
    name: 'mitschrift_database_connections',
    help: 'Connections to the database that questions share.',
    labelNames: ['state'],
    collect() {
      const { used, max } = cluster.connections();
      this.set({ state: 'used' }, used);
      this.set({ state: 'free' }, max - used);
    },
  });
  addFigures(add, {
    mitschrift_projector: [
      '1: this node keeps the lists of recordings up to the log, for all.',
      () => Number(cluster.held().some((name) => kindOf(name) === 'projector')),
    ],
    mitschrift_work_slots: ['For how many recordings this node works at once.', () => slots],
    mitschrift_work_slots_used: [
      'For how many recordings this node works.',
      () => recordingService.slotsUsed(),
    ],
    mitschrift_followed_behind: [
      'Facts in the log that this node has not told its clients of yet.',
      async () => Math.max(0, (await store.head()) - projections.position()),
    ],
    mitschrift_database_waiting: [
      'Questions that wait for a connection to the database.',
      () => cluster.connections().waiting,
    ],
  });
}

const kindOf = (name: string): (typeof kinds)[number] =>
  kinds.find((kind) => name === kind || name.startsWith(`${kind}:`)) ?? 'other';

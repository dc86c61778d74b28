import type { GaugeConfiguration } from 'prom-client';
import type { ProjectionRunner } from '../../projections/runner/runner.ts';
import type { OpenRecordingService } from '../recordings/service.ts';
import type { ClusterMember } from '../storage/cluster.ts';

export type AddGauge = (gauge: Omit<GaugeConfiguration<string>, 'registers'>) => void;

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
    name: 'mitschrift_projector',
    help: '1: this node keeps the lists of recordings up to the log, for all.',
    collect() {
      this.set(cluster.held().some((name) => kindOf(name) === 'projector') ? 1 : 0);
    },
  });
  add({
    name: 'mitschrift_work_slots',
    help: 'For how many recordings this node works at once.',
    collect() {
      this.set(slots);
    },
  });
  add({
    name: 'mitschrift_work_slots_used',
    help: 'For how many recordings this node works.',
    collect() {
      this.set(recordingService.slotsUsed());
    },
  });
  add({
    name: 'mitschrift_followed_behind',
    help: 'Facts in the log that this node has not told its clients of yet.',
    async collect() {
      const head = await store.head();
      this.set(Math.max(0, head - projections.position()));
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
  add({
    name: 'mitschrift_database_waiting',
    help: 'Questions that wait for a connection to the database.',
    collect() {
      this.set(cluster.connections().waiting);
    },
  });
}

const kindOf = (name: string): (typeof kinds)[number] =>
  kinds.find((kind) => name === kind || name.startsWith(`${kind}:`)) ?? 'other';

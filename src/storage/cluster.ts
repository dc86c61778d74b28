import type { NodeRole } from '../shared/cluster-settings.ts';

/** A node as administrators see it in `GET /nodes` and `mitschrift nodes --json`. */
export type NodeSelf = {
  /** A ULID of this process. */
  id: string;
  /** The name of its machine. */
  host: string;
  /** Its number there. */
  process: number;
  role: NodeRole;
  version: string;
  /** For how many recordings it works at once. */
  slots: number;
  /** RFC 3339, by its own clock. */
  started_at: string;
};

/** A name that a node has for itself: `projector`, `recording:ID`, `upload:ID`, … */
export type Tenure = {
  name: string;
  /** RFC 3339, by the database's clock. */
  since: string;
};

/** A node as the database sees it. */
export type ClusterNode = NodeSelf & {
  /** Where it listens, as it calls it itself; null: not known. */
  address: string | null;
  /** Whether its session lives. Of one that does not: it died, or is cut off. */
  there: boolean;
  /** When it wrote down last what it holds; RFC 3339, by the database's clock. */
  noted_at: string;
  /** What it holds now. */
  holds: Tenure[];
  /** Names that it holds and has not written down yet: moments, unless the database's disk is full. */
  unnamed: number;
};

/** A process as one node of a cluster. */
export interface ClusterMember {
  readonly self: NodeSelf;
  /** Who is there and holds what; what it costs grows with the nodes and what they hold. @throws {EventStoreError} `BUSY` */
  nodes(): Promise<ClusterNode[]>;
  /** Names that this one holds. */
  held(): string[];
  /** Connections to the database that questions share; `waiting`: questions without one. */
  connections(): { used: number; max: number; waiting: number };
  /** Says where it is reached. */
  listensAt(address: string): void;
}

/** Of a running node a file of the store, by which others see that they have the same one. */
export const nodeMarkKey = (nodeId: string): string => `nodes/${nodeId}`;

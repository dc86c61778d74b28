import type { Projection } from '../../../projections/runner/projection.ts';

/**
 * The rows of one release: of projections of certain versions. Those of another release lie beside them and have a projector of
 * their own, so in a rolling upgrade the nodes of each release answer from rows that are whole.
 */
export type Generation = {
  /** The name under which one node keeps them. */
  projector: string;
  /** Where that node says how far they are. */
  channel: string;
  /** Under which name the rows of a projection lie. */
  placeOf(projection: string): string;
};

/** The versions of the first release, whose names have no versions in them. */
const first = '9.3.3';

export const generationOf = (projections: readonly Pick<Projection, 'version'>[]): Generation =>
  ofVersions(projections.map(({ version }) => version).join('.'));

/** That of rows that lie there. */
export const generationAt = (place: string): Generation => ofVersions(place.split('@')[1] ?? first);

const ofVersions = (versions: string): Generation =>
  versions === first
    ? { projector: 'projector', channel: 'applied', placeOf: (name) => name }
    : {
        projector: `projector:${versions}`,
        channel: `applied_${versions.replaceAll('.', '_')}`,
        placeOf: (name) => `${name}@${versions}`,
      };

import { isOver } from '../../events/facts/links.ts';
import { isIn } from '../../machines/states.ts';
import type { KeptLink, RecordingRow } from '../../projections/recording-row.ts';
import { linesOf } from '../../projections/recording-row.ts';
import type { HttpServices } from './services.ts';

type Services = Pick<HttpServices, 'settings' | 'accounts'>;
type Linked = Pick<RecordingRow, 'owner' | 'links'>;

/** Whether links open here at all, and those of this user. */
const areOpen = ({ settings, accounts }: Services, owner: string): boolean =>
  settings()['sharing.links'] && accounts.isActive(owner);

/**
 * A recording's link, as long as it is open: not deleted, not over, its owner may act, and links are not switched off.
 * Asked at each look, so that what is closed is closed at once.
 */
export function openLinkIn(
  services: Services,
  { owner, links }: Linked,
  link: string,
): KeptLink | undefined {
  const found = links.find((one) => one.link === link);
  return found && !isOver(found) && areOpen(services, owner) ? found : undefined;
}

/** Whether a link is open now. */
export async function isOpenLink(
  services: Services & Pick<HttpServices, 'storage'>,
  { recordingId, link }: { recordingId: string; link: string },
): Promise<boolean> {
  await services.accounts.takeIn();
  const [line] = await linesOf(services.storage, [`/${recordingId}`]);
  return line !== undefined && openLinkIn(services, line.core, link) !== undefined;
}

/** How many links are not over: for the owner's lists. */
export const countOpen = (links: readonly KeptLink[]): number =>
  links.filter((one) => !isOver(one)).length;

/** How far a recording is, as who has a link is told. */
export const sharedState = ({
  status,
  state,
  version,
}: Pick<RecordingRow, 'status' | 'state' | 'version'>): 'running' | 'working' | 'ready' => {
  if (status === 'recording') return 'running';
  return version > 0 || isIn(state, 'idle') ? 'ready' : 'working';
};

/** Whether a link opens anything of it now: what is not ready only those that are live. */
export const isReadable = (
  row: Pick<RecordingRow, 'status' | 'state' | 'version'>,
  { live }: Pick<KeptLink, 'live'>,
): boolean => live || sharedState(row) === 'ready';

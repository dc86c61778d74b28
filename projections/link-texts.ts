import type { LoggedRecordingFact } from '../events/facts/catalogue.ts';
import type { KeptLine } from './recording-row.ts';
import { recordingsName } from './recording-row.ts';
import type { ProjectionStorage, Rows } from './runner/projection.ts';

/** What of a link is sealed with the recording's key. `passwordHash` null: it has no password. */
export type LinkText = { name: string; passwordHash: string | null };

/** Below the texts of the recording, so that erasing removes it with them. */
const linkKey = (recordingId: string, link: string): string => `t/${recordingId}/l/${link}`;

/** Keeps what a fact says of a link, and nothing of links that are no more. */
export function keepLinkText(
  rows: Rows,
  { before, after }: { before: Pick<KeptLine, 'core'> | undefined; after: Pick<KeptLine, 'core'> },
  fact: LoggedRecordingFact,
): void {
  const { recordingId, links } = after.core;
  if (fact.type === 'link.created' && fact.content) {
    const { name, password_hash: passwordHash = null } = fact.content;
    rows.set(linkKey(recordingId, fact.data.link), { name, passwordHash } satisfies LinkText);
  }
  if (!before || before.core.links === links) return;
  for (const { link } of before.core.links) {
    if (!links.some((one) => one.link === link)) rows.delete(linkKey(recordingId, link));
  }
}

/** By its place among these links; undefined where the recording's key is gone. */
export const linkTexts = async (
  storage: ProjectionStorage,
  recordingId: string,
  links: readonly string[],
): Promise<(LinkText | undefined)[]> =>
  await storage.getMany<LinkText>(
    recordingsName,
    links.map((link) => linkKey(recordingId, link)),
  );

/** What the service says of its machine (`GET /doctor`), as this page shows it. */
import { atom } from 'nanostores';
import { type Answered, answer, api, fetchAsUser } from '../../client/api.ts';

export type Health = Answered<'doctor'>['checks'][number];

/** What the last look found; null before the first. */
export const health = atom<{ checks: readonly Health[]; at: number } | null>(null);

/** How many things of the last look are to be looked at. */
export const thingsToLookAt = atom(0);

/** Looks now: some seconds, since servers and models are tried. @throws {ApiError} */
export async function lookAgain(): Promise<void> {
  const { checks } = await answer(api.GET('/doctor'));
  health.set({ checks: inOrder(checks), at: Date.now() });
  thingsToLookAt.set(checks.filter(({ status }) => status !== 'ok').length);
}

/** As text to be sent to who helps. */
export const asText = (checks: readonly Health[]): string =>
  checks
    .map(({ title, status, detail, remedy }) =>
      [
        `${status.padEnd(8)}${title}: ${detail}`,
        remedy && `        ${remedy.text}`,
        remedy?.command,
      ]
        .filter(Boolean)
        .join('\n'),
    )
    .join('\n');

const order = ['missing', 'limited', 'ok'];

/** What is to be mended first. */
const inOrder = (checks: readonly Health[]): Health[] =>
  checks.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));

/**
 * Sends the request that mends something, as the service names it.
 * @throws {ApiError}
 */
export async function mend(path: string): Promise<void> {
  const sent = async () => {
    const response = await fetchAsUser(new Request(path, { method: 'POST' }));
    const error: unknown = response.ok ? undefined : await response.json();
    return { response, error };
  };
  await answer(sent());
}

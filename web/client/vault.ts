import { answer, api } from './api.ts';
import type { paths } from './interface.d.ts';

/** The folder into which one's notes are copied, and when they are. */
export type Vault =
  paths['/users/me/vault']['get']['responses']['200']['content']['application/json'];

export const readVault = (): Promise<Vault> => answer(api.GET('/users/me/vault'));

import { type Answered, answer, api } from './api.ts';

/** The folder into which one's notes are copied, and when they are. */
export type Vault = Answered<'getOwnVault'>;

export const readVault = (): Promise<Vault> => answer(api.GET('/users/me/vault'));

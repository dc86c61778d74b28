import type { OpensByPassword, User, UserLink } from '../../projections/users.ts';
import type { Settings } from '../config/environment.ts';

export type SignOnSettings = Pick<
  Settings,
  | 'oidc.issuer'
  | 'oidc.title'
  | 'oidc.client_id'
  | 'oidc.client_secret'
  | 'oidc.scopes'
  | 'oidc.username_claim'
  | 'oidc.groups_claim'
  | 'oidc.user_group'
  | 'oidc.admin_group'
  | 'oidc.register'
  | 'oidc.match_username'
  | 'oidc.session_hours'
  | 'auth.local_login'
>;

/** Who may log in with a password. */
export type LocalLogin = Settings['auth.local_login'];

/** Whether single sign-on is set up. */
export const hasProvider = (settings: SignOnSettings): boolean =>
  settings['oidc.issuer'] !== null && settings['oidc.client_id'] !== null;

/** Who may log in with a password: everybody, unless there is another way in. */
export const localLoginOf = (settings: SignOnSettings): LocalLogin =>
  hasProvider(settings) ? settings['auth.local_login'] : 'all';

/** Whether a user can log in with the password they have. */
export const opensByPassword =
  (who: LocalLogin): OpensByPassword =>
  (user) =>
    user.passwordHash !== null && mayUsePassword(user, who);

/** Whether whoever opens this link may choose a password: one that would let them in. */
export const mayChoosePassword = (
  { by }: Pick<UserLink, 'by'>,
  { isAdmin }: Pick<User, 'isAdmin'>,
  who: LocalLogin,
): boolean => mayUsePassword({ isAdmin, hasHostPassword: by === 'system' }, who);

/** Whether a password lets this user in. One that was set on the host does: else nobody might get in any more. */
export const mayUsePassword = (
  { isAdmin, hasHostPassword }: Pick<User, 'isAdmin' | 'hasHostPassword'>,
  who: LocalLogin,
): boolean => who === 'all' || (isAdmin && (who === 'administrators' || hasHostPassword));

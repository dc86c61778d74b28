import { says } from './sentences.ts';

/** Details of problems with single sign-on. */
export const detailsOfLogins = {
  'not-admitted-group': says({
    detail:
      'The sign-on provider knows you, but only members of a certain group can log in here. Ask an administrator. No account was created.',
    admin: 'Setting: Only members of (`oidc.user_group`).',
  }),
  'not-admitted-setup': says(
    'This server has no administrator yet. Whoever set it up creates the first one with the setup link (`mitschrift setup-link`).',
  ),
  'not-admitted-unknown': says(
    'The sign-on provider knows you, but you have no account here. Ask an administrator for one. No account was created.',
  ),
  'not-admitted-linked': says(
    'This account at the sign-on provider is linked with another user here. Nothing was changed.',
  ),
  'not-admitted-denied': says('The sign-on provider didn’t log you in. No account was created.'),
  'provider-answers-wrong': says(
    'The sign-on provider’s answer can’t be used. Tell an administrator: Health and the log say more. Until then, log in with a password if you have one here.',
  ),
  'provider-answers': says(
    { fault: 'text' },
    'The sign-on provider answered “{fault}”. Check the client ID, the client secret and the scopes.',
  ),
  'login-code-over': says(
    'This code is wrong, was used or has expired. Create a new one in the account, under “Where you are logged in”.',
  ),
  'password-link-useless': says({
    detail:
      'Passwords are switched off for this person, who logs in with single sign-on. No link was created.',
    admin:
      'Setting: Login with a password (`auth.local_login`). For an administrator, `mitschrift users password-link` on the server always creates one.',
  }),
  'no-password-yet': says(
    'Without the link you could no longer log in: your account has no password. Ask an administrator for a link to choose one.',
  ),
};

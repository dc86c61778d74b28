import { says } from './sentences.ts';

/** Details of problems with the server, its desktop, the notes folder and single sign-on. */
export const detailsOfServer = {
  'node-only-works': says(
    'This node processes recordings and answers only /health and /metrics. Ask a node with the role serve or all.',
  ),
  'web-app-missing': says({
    // Everyone is told the command: who reads this has just set up the server.
    detail: 'The web app is missing on this server. Run `npm run build`.',
  }),
  'certificate-unusable': says(
    'Mitschrift is set up for https here, but its certificate can’t be used. Tell an administrator: `mitschrift doctor` on the server says why.',
  ),
  'notes-folder-not-set': says({
    detail: 'You have no notes folder (vault) on this server. Ask an administrator for one.',
    admin:
      'Choose one in your account. Where Mitschrift runs on one server alone, one can be set for everyone, too (Notes folder, `notes.vault`).',
  }),
  'notes-folder-chosen-there': says(
    'The folder is on the server. Choose it on that computer, or ask an administrator.',
  ),
  'notes-folder-missing': says({
    detail: 'The notes folder (vault) doesn’t exist or can’t be opened. Tell an administrator.',
    admin: 'Setting: Notes folder (`notes.vault`).',
  }),
  'notes-folder-empty': says({
    detail:
      'The notes folder (vault) isn’t the one it was, and is empty: its disk may not be mounted. Tell an administrator.',
    admin: 'If it is a new folder, put any file into it.',
  }),
  'notes-folder-not-writable': says({
    detail: 'Mitschrift isn’t allowed to write to the notes folder (vault). Tell an administrator.',
    admin: 'Setting: Notes folder (`notes.vault`).',
  }),
  'notes-folder-occupied': says(
    'A folder or another file in the notes folder has the name the document needs. Rename it and try again.',
  ),
  'no-desktop-session': says({
    detail:
      'Documents can’t be opened on the server because it runs without a desktop. Download them instead.',
    admin:
      'Neither DISPLAY nor WAYLAND_DISPLAY is set. Where there is a desktop: `systemctl --user import-environment DISPLAY WAYLAND_DISPLAY`, then restart Mitschrift.',
  }),
  'no-program-to-open': says(
    { reasons: 'sentences' },
    { detail: 'No program on the server could open the document.', admin: '{reasons}.' },
  ),
  'program-not-installed': says({ program: 'text' }, '{program} isn’t installed'),
  'program-failed': says({ program: 'text', how: 'text' }, '{program} failed ({how})'),
  'backup-in-data-directory': says(
    'must not be inside the data directory: the backup would be lost with it',
  ),
  'backup-folder-in-use': says(
    { file: 'place' },
    'contains something else ({file}): choose an empty folder',
  ),
  'backup-of-other-data': says(
    { log: 'text' },
    'contains a backup of other data ({log}): choose another folder',
  ),
  'backup-ahead': says(
    'contains newer events than this data, which was restored since: choose another folder',
  ),
  'backup-marker-unreadable': says('is damaged, or was made by a newer version of Mitschrift'),
  'backup-folder-not-writable': says(
    { cause: 'text' },
    'can’t be created or written to ({cause}): choose another folder',
  ),
  'backup-folder-silent': says(
    'doesn’t respond, like a network folder whose server is offline: check it, or choose another folder',
  ),
  'backup-folder': says({ folder: 'place', fault: 'sentence' }, '{folder} {fault}.'),
  'backup-failed': says({ cause: 'said' }, 'The backup failed: {cause}'),
  'backup-by-database': says(
    { database: 'place', files: 'place' },
    'The data is in the database {database}: back that up with pg_basebackup, then {files}, which has the audio, the documents and the keys.',
  ),
  'model-not-in-catalogue': says(
    { model: 'text', known: 'list' },
    'There is no model {model}. Available: {known}.',
  ),
  'model-not-installed': says({ model: 'text' }, 'The model {model} isn’t installed.'),
  'own-export-running': says(
    'Your data is being downloaded already. Wait until that download has ended, or cancel it.',
  ),
  'own-export-unfinished': says(
    'It is still being recorded. Its audio and documents are not in this file.',
  ),
  'own-export-no-audio': says('The audio file is missing on the server.'),
  'own-export-damaged-audio': says(
    'The audio file is damaged. What could be read of it is in this file.',
  ),
  'own-export-unreadable': says('It can’t be read on the server. Tell an administrator.'),
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
  'password-opens-nothing': says(
    'Without the link you could no longer log in: passwords are switched off here for your account.',
  ),
};

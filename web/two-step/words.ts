import { params } from '@nanostores/i18n';
import { wordsFor } from '../components/words.ts';

const english = {
  setUpTitle: 'Set up two-step login',
  scan: 'Open an authenticator app on your phone and scan this picture.',
  qrCode: 'QR code for the authenticator app',
  openApp: 'Open the app on this device',
  typeKey: 'Type the key instead',
  digits: 'Enter the 6 digits the app shows',
  check: 'Check and continue',
  codesTitle: 'Keep these recovery codes',
  codesMeaning:
    'Two-step login is on. If your phone is lost, each of these codes logs you in once. They’re shown only now.',
  renewedMeaning:
    'The old codes no longer work. If your phone is lost, each of these logs you in once. They’re shown only now.',
  saveCodes: 'Save as text file',
  printCodes: 'Print',
  stored: 'I’ve stored them somewhere safe.',
  codesOf: params('Mitschrift: recovery codes of {user} on {server}'),
  codesFile: 'recovery-codes',
  codeTitle: 'Enter code',
  codeLabel: '6 digits from your authenticator app',
  recoveryLabel: 'One of your recovery codes',
  recoveryHint:
    'The code is used up by this. No code left? An administrator can switch off two-step login for you.',
  wrongCode: 'Wrong code. Each code is valid once and for 30 seconds; check the phone’s clock.',
  wrongRecovery: 'This recovery code is wrong or already used up. Each code is valid once.',
  codeOrRecovery: 'Code, or recovery code',
  useRecovery: 'Use a recovery code',
  useApp: 'Use the app instead',
  back: 'Back to user name and password',
  mustHint:
    'This server asks you for two-step login. Setting up takes about two minutes and needs an app on your phone.',
};

export type English = typeof english;
export const words = wordsFor('two-step', english);

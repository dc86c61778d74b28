import { says } from './sentences.ts';

/** Types of problems with logging in, and with what asks for it again. */
export const problemsOfLogins = {
  'not-authenticated': says({
    title: 'Not logged in',
    detail: 'You’re not logged in, or your session has ended. Log in and try again.',
  }),
  'wrong-credentials': says({
    title: 'Login failed',
    detail: 'The user name or password is wrong.',
  }),
  'code-required': says({
    title: 'Enter code',
    detail: 'Enter the 6 digits from your authenticator app, or a recovery code.',
  }),
  'wrong-code': says({
    title: 'Wrong code',
    detail: 'Each code is valid once and for 30 seconds; check the phone’s clock.',
  }),
  'two-step-changed': says({
    title: 'Two-step login has changed',
    detail:
      'It was switched on or off elsewhere, or setting it up took longer than 10 minutes. Start again.',
  }),
  'two-step-required': says({
    title: 'Set up two-step login first',
    detail:
      'This server asks you for it. Log in with a browser and set it up: until then, nothing else opens.',
  }),
  'use-single-sign-on': says({
    title: 'Use single sign-on',
    detail: 'Passwords are switched off here for your account. Log in with single sign-on.',
  }),
  'not-admitted': says({
    title: 'Not admitted',
    detail:
      'The sign-on provider knows you, but this server doesn’t let you in. Ask an administrator. No account was created.',
  }),
  'flow-over': says({
    title: 'Login not completed',
    detail:
      'The login took longer than 10 minutes or was started in another browser. Nothing is wrong with your account. Start again.',
  }),
  'provider-away': says({
    title: 'Sign-on provider not available',
    detail:
      'The sign-on provider isn’t responding. Try again in a few minutes, or log in with a password if you have one here. Recordings in progress continue.',
  }),
  'no-single-sign-on': says({
    title: 'No single sign-on',
    detail: 'Single sign-on is not set up on this server.',
  }),
  'no-password': says({
    title: 'Account without password',
    detail:
      'Your account has no password here: you log in with single sign-on. An administrator can send you a link to choose one.',
  }),
  'user-disabled': says({
    title: 'Account disabled',
    detail: 'This account is disabled. Ask an administrator to enable it again.',
  }),
  'password-change-required': says({
    title: 'Choose your own password first',
    detail:
      'Someone else set your password. Log in with a browser and choose your own: until then, nothing else opens.',
  }),
  'confirmation-required': says({
    title: 'Password needed again',
    detail:
      'Enter your password again, then repeat this. Nothing was changed. (API: `POST /users/me/confirm`)',
  }),
};

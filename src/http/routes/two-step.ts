import * as z from 'zod';
import { time } from '../openapi/activity-answers.ts';
import { routesOf } from '../route.ts';
import { credentials, withCurrent } from './users.ts';

/** Of the authenticator app, or a recovery code. */
export const code = z.string().max(40);
const current_password = credentials.password;

const route = routesOf({ tag: 'Users', needs: [] });
const codes = z.object({
  recovery_codes: z.array(z.string()).describe('shown only here; each logs in once'),
});

/** Everybody's own two-step login (TOTP, RFC 6238). */
export const twoStepRoutes = [
  route('get', '/users/me/totp', {
    id: 'twoStep',
    summary: 'Whether the caller’s two-step login is on',
    whileLimited: ['totp'],
    answers: {
      200: {
        description: 'How it is.',
        json: z.object({
          enabled: z.boolean(),
          since: time.nullable(),
          recovery_codes_left: z.number().int(),
          required: z.boolean().describe('whether `auth.totp` asks the caller for it'),
        }),
      },
    },
    run({ caller }, { accounts }) {
      const state = accounts.twoStep.state(caller.userId);
      const { enabled, since, recoveryLeft, isDemanded } = state;
      return { enabled, since, recovery_codes_left: recoveryLeft, required: isDemanded };
    },
  }),
  route('post', '/users/me/totp', {
    id: 'beginTwoStep',
    summary: 'Gives a secret for an authenticator app; it holds once a code of it is confirmed',
    whileLimited: ['totp'],
    body: { json: z.strictObject({ current_password }) },
    answers: {
      201: {
        description: 'Good for ten minutes.',
        json: z.object({
          secret: z.string().describe('Base32'),
          uri: z.string().describe('`otpauth://`, for a QR code'),
        }),
      },
    },
    problems: ['two-step-changed', 'no-password', 'too-many-attempts', 'busy'],
    run: async ({ body, caller }, { accounts }) =>
      await withCurrent(accounts.twoStep.begin(caller.userId, body.current_password)),
  }),
  route('post', '/users/me/totp/confirm', {
    id: 'confirmTwoStep',
    summary: 'Switches two-step login on',
    whileLimited: ['totp'],
    body: { json: z.strictObject({ code }) },
    answers: { 201: { description: 'It is on.', json: codes } },
    problems: ['two-step-changed', 'too-many-attempts'],
    command: true,
    run: async ({ body, caller }, { accounts }) => ({
      recovery_codes: await withCurrent(accounts.twoStep.confirm(caller.userId, body.code)),
    }),
  }),
  route('post', '/users/me/totp/recovery-codes', {
    id: 'renewRecoveryCodes',
    summary: 'Gives other recovery codes; those of before are good no more',
    body: { json: z.strictObject({ current_password, code }) },
    answers: { 201: { description: 'The new ones.', json: codes } },
    problems: ['two-step-changed', 'no-password', 'too-many-attempts', 'busy'],
    command: true,
    run: async ({ body: { current_password: password, code: given }, caller }, { accounts }) => ({
      recovery_codes: await withCurrent(accounts.twoStep.renew(caller.userId, password, given)),
    }),
  }),
  route('delete', '/users/me/totp', {
    id: 'endTwoStep',
    summary: 'Switches two-step login off',
    body: { json: z.strictObject({ current_password, code }) },
    answers: { 204: { description: 'Done.' } },
    problems: ['two-step-changed', 'no-password', 'too-many-attempts', 'busy'],
    command: true,
    async run({ body: { current_password: password, code: given }, caller }, { accounts }) {
      await withCurrent(accounts.twoStep.end(caller.userId, password, given));
    },
  }),
];

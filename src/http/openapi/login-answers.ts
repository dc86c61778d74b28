import * as z from 'zod';

export const session = z.object({
  token: z.string().describe('for `Authorization: Bearer`; shown only here'),
  expires_at: z
    .string()
    .describe('RFC 3339, UTC; slides with use, to at most 90 days after the login'),
  user_id: z.string().describe('never the one of a deleted account of that name'),
  username: z.string(),
  is_admin: z.boolean(),
  limited: z
    .enum(['password', 'totp'])
    .optional()
    .describe(
      '`password`: somebody else set it, and only `PATCH /users/me` and `POST /logout` answer until it is changed; ' +
        '`totp`: two-step login has to be set up first (`/users/me/totp`)',
    ),
});

export const setupState = z.object({
  setup_required: z.boolean(),
  setup_code_required: z.boolean(),
});

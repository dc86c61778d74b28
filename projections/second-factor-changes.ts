import { refuse } from '../events/command-handler.ts';
import { problemOf } from '../src/words/problems.ts';
import { type TotpEnd, secondFactorEnded } from './second-factor.ts';
import { type UserDecision, type Users, unknownUser } from './users.ts';

/** Switches it on, unless it is on. */
export const decideSecondFactor =
  (id: string, content: { secret: string; recovery: string[] }) =>
  ({ byId }: Users): UserDecision => {
    const user = byId.get(id);
    if (!user) return unknownUser;
    if (user.totp) return changedMeanwhile;
    return [{ type: 'user.totp_enabled', data: { user_id: id }, content }];
  };

/** Other recovery codes; those of before are good no more. */
export const decideRecoveryCodes =
  (id: string, recovery: string[]) =>
  ({ byId }: Users): UserDecision => {
    const totp = byId.get(id)?.totp;
    if (!totp || totp.secret === null) return changedMeanwhile;
    const content = { secret: totp.secret, recovery };
    return [{ type: 'user.totp_enabled', data: { user_id: id }, content }];
  };

/** Switches it off; nothing where it is off. */
export const decideNoSecondFactor =
  (id: string, reason: TotpEnd) =>
  ({ byId }: Users): UserDecision => {
    const user = byId.get(id);
    if (!user) return unknownUser;
    return user.totp ? [secondFactorEnded(id, reason)] : [];
  };

/** Uses a recovery code up. Of two at once, one is refused. */
export const decideRecoveryCode =
  (id: string, sha256: string) =>
  ({ byId }: Users): UserDecision => {
    const index = byId.get(id)?.totp?.recovery.indexOf(sha256) ?? -1;
    if (index < 0) return refuse('WRONG_CODE', problemOf('wrong-code'));
    return [{ type: 'user.recovery_code_used', data: { user_id: id, index } }];
  };

const changedMeanwhile = refuse('TWO_STEP_CHANGED', problemOf('two-step-changed'));

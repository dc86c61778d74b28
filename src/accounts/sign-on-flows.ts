import { hash, randomBytes } from 'node:crypto';
import type { SignOnFlow } from '../servers/sign-on-provider.ts';
import type { Kept, KeptKind } from '../storage/kept.ts';
import { perMinute } from '../storage/per-minute.ts';

/** How long somebody may be at the provider, in milliseconds. */
const flowMs = 10 * 60_000;
/** How often in a minute an address may begin: people of one office share one. */
const beginningsMax = 60;

/**
 * What comes of it: a login, also of who has an invitation (by the SHA-256 of its token), an account linked to a user, or
 * nothing, where an administrator only tries it.
 */
export type FlowPurpose =
  | { is: 'login'; invitation?: string }
  | { is: 'link'; userId: string }
  | { is: 'trial'; userId: string };

/** What a browser has begun at the provider. */
export type BegunFlow = SignOnFlow & { purpose: FlowPurpose };

/** By the SHA-256 of what the browser keeps. None has to survive a restart; any node ends it, once. */
const flowRows: KeptKind<BegunFlow & { ends_at: number }> = {
  name: 'sign-on-flows',
  endsAt: (row) => row.ends_at,
  volatileMax: 10_000,
  keys: 'plain',
};

export interface SignOnFlows {
  /** Seconds to wait where an address has begun too often; 0: it may, and has. */
  count(address: string): Promise<number>;
  /** @returns what the browser keeps, and shows when it is back. */
  keep(flow: BegunFlow): Promise<string>;
  /** The flow, which nobody gets a second time; undefined: there is none, or it is over. */
  take(given: string): Promise<BegunFlow | undefined>;
}

export function signOnFlows(kept: Kept): SignOnFlows {
  const flows = kept.of(flowRows);
  return {
    count: (address) => perMinute(kept, 'sign-on-beginnings', address, beginningsMax),
    async keep(flow) {
      const given = randomBytes(32).toString('base64url');
      await flows.change([keyOf(given)], (_, now) => ({
        keep: [{ ...flow, ends_at: now + flowMs }],
        result: undefined,
      }));
      return given;
    },
    take: (given) =>
      flows.change([keyOf(given)], ([flow]) =>
        flow ? { keep: [undefined], result: flow } : { result: undefined },
      ),
  };
}

const keyOf = (given: string): string => hash('sha256', given, 'base64url');

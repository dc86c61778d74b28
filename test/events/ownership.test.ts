import { soleOwnership } from '../../events/ownership.ts';
import { sharedOwnership } from '../support/shared-ownership.ts';
import { ownershipContract } from './ownership-contract.ts';

ownershipContract(
  'The ownership of the only process',
  async () => {
    const one = soleOwnership();
    return { one, other: one };
  },
  { canBeLost: false },
);

ownershipContract(
  'The ownership for tests of two processes',
  async () => {
    const shared = sharedOwnership();
    const [one, other] = [shared.node(), shared.node()];
    return { one, other, lose: async () => one.cutOff() };
  },
  { canBeLost: true },
);

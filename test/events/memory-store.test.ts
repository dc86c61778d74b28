import { eventStoreContract } from './store-contract.ts';
import { memoryKeys, memoryStore } from '../support/memory-store.ts';

eventStoreContract('The store in memory', async () => memoryStore());
eventStoreContract('The store in memory with keys', async () =>
  memoryStore({ keys: memoryKeys() }),
);

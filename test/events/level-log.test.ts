import { eventLogContract } from './log-contract.ts';
import { eventStoreContract } from './store-contract.ts';
import { tempLog } from '../support/temp-log.ts';

eventStoreContract('The log in LevelDB', async (test) => (await tempLog(test)).open());
eventLogContract('The log in LevelDB', async (test) => (await tempLog(test)).open());

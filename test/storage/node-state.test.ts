import { join } from 'node:path';
import { openSecretStore } from '../../src/config/secret-store.ts';
import { memoryLoginAttempts } from '../../src/storage/login-attempts.ts';
import { memoryTicketRows } from '../../src/storage/ticket-rows.ts';
import { tempDir } from '../support/temp-dir.ts';
import { loginAttemptsContract } from './login-attempts-contract.ts';
import { secretStoreContract } from './secret-store-contract.ts';
import { ticketRowsContract } from './ticket-rows-contract.ts';

ticketRowsContract('memory', async (_, max) => memoryTicketRows({ max }));
loginAttemptsContract('memory', async () => memoryLoginAttempts(() => new Date()));
secretStoreContract(
  'a file',
  async (t) => {
    const path = join(await tempDir(t), 'secrets.json');
    const again = () => openSecretStore(path);
    return { store: await again(), again };
  },
  { isShared: false },
);

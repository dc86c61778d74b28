import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { openControl } from '../../src/service/control/socket.ts';
import { dataFolder } from '../../src/shared/data-directory.ts';
import { within } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a toggle that is not answered says that nothing may be recorded', async (t) => {
  const folder = await tempDir(t);
  const silent = new Promise<never>(() => {});
  const service = await openControl(dataFolder(folder).triggerSocket, silent);
  t.after(() => service.closeAllConnections());
  t.after(() => service.close());
  // A minute passes in a second.
  const hook = join(folder, 'hook.cjs');
  await writeFile(
    hook,
    'const timeout = AbortSignal.timeout; AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms / 60);',
  );
  const child = spawn(process.execPath, ['--require', hook, program, 'toggle'], {
    env: { ...process.env, MITSCHRIFT_DATA: folder },
  });
  t.after(() => child.kill('SIGKILL'));
  const code = new Promise((resolve) => child.once('exit', resolve));
  const err = text(child.stderr);
  assert.equal(await within('it ends', code, 20_000), 1);
  assert.match(await err, /NO ANSWER: .*NOT RECORDING/);
});

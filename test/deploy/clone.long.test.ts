import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { firstDocument, prepared } from '../support/first-document.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { root } from './packed.ts';

const run = promisify(execFile);

test('README: the first of its two commands, in a copy of this checkout, leads to a first document', async (t) => {
  const { dataDir, audio } = await prepared(t);
  const copy = await tempDir(t);
  const list = 'git ls-files -z --cached --others --exclude-standard';
  await run('sh', ['-c', `${list} | xargs -0 cp --parents -t ${copy}`], { cwd: root });
  const readme = await readFile(join(copy, 'README.md'), 'utf8');
  const [, install, start] = /^(npm install) && (npm start) /m.exec(readme)!;
  await run('sh', ['-c', install!], { cwd: copy, maxBuffer: 10_000_000 });
  const started = { command: ['sh', '-c', `exec ${start}`], cwd: copy };
  const service = await startServiceProcess(dataDir, {}, [], started);
  t.after(() => service.end('SIGTERM'));
  await firstDocument(service.url, audio);
});

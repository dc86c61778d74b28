import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { audioServerRemedy } from '../../src/doctor/sound-checks.ts';
import { buildRemedy } from '../../src/doctor/build-tools.ts';
import { say } from '../../src/words/say.ts';
import type { Sentence } from '../../src/words/params.ts';
import { tempDir } from '../support/temp-dir.ts';

test('a package that was not compiled is mended by what was missing: compiler, headers of Node, or neither', async (t) => {
  const root = await tempDir(t);
  const bin = join(root, 'bin');
  const file = async (path: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '', { mode: 0o755 });
  };
  const host = {
    env: { PATH: bin, HOME: join(root, 'home') } as NodeJS.ProcessEnv,
    node: '24.1.0',
    execPath: join(root, 'node', 'bin', 'node'),
  };
  const remedy = async () => {
    const { text, command } = await buildRemedy('npm install', host);
    return { text: text && say(text as Sentence, 'en')?.detail, command };
  };

  for (const name of ['make', 'python3']) await file(join(bin, name));
  assert.match((await remedy()).command!, /^sudo apt-get install build-essential python3 && cd /);

  await file(join(bin, 'g++'));
  const fetched = await remedy();
  assert.match(fetched.text!, /headers.*nodejs\.org.*`npm_config_nodedir`/);
  assert.equal(fetched.command, undefined);

  await file(join(root, 'node', 'include', 'node', 'node_api.h'));
  assert.match((await remedy()).command!, /&& npm_config_nodedir=\S+\/node npm install$/);

  await file(join(root, 'home', '.cache', 'node-gyp', '24.1.0', 'include', 'node', 'node_api.h'));
  const neither = await remedy();
  assert.equal(neither.text, 'Install the packages again.');
  assert.match(neither.command!, /&& npm install$/);
});

test('an audio server is restarted only where there is a session that has one', async (t) => {
  const runtime = await tempDir(t);
  const headless = audioServerRemedy({ XDG_RUNTIME_DIR: runtime });
  assert.equal((headless.text as Sentence).code, 'fix-no-session');
  assert.equal(headless.command, undefined);
  assert.deepEqual(audioServerRemedy({}), headless);
  await writeFile(join(runtime, 'bus'), '');
  assert.match(
    audioServerRemedy({ XDG_RUNTIME_DIR: runtime }).command!,
    /^systemctl --user restart/,
  );
});

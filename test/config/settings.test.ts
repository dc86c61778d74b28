import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { settingKeys } from '../../src/config/schema.ts';
import {
  environmentSettings,
  settingsFrom,
  unknownVariables,
  variableOf,
} from '../../src/config/environment.ts';
import { replaceSettings } from '../support/readme-settings.ts';

test('every key can be set by its variable, as text of its type', () => {
  const settings = settingsFrom({
    MITSCHRIFT_STT_BASE_URL: 'http://host:8000/v1',
    MITSCHRIFT_LLM_TIMEOUT: '30',
    MITSCHRIFT_LIMITS_SPACES_GB: '1.5',
    MITSCHRIFT_STT_LIVE: 'FALSE',
    MITSCHRIFT_SERVER_ALLOWED_HOSTS: 'a.example, b:8080 ,,[::1]:80',
    MITSCHRIFT_SERVER_TRUSTED_PROXIES: '10.0.0.0/8',
    MITSCHRIFT_NOTES_VAULT: '/srv/vault',
    MITSCHRIFT_LLM_MODEL: '',
  });
  assert.equal(settings['stt.base_url'], 'http://host:8000/v1');
  assert.equal(settings['llm.timeout'], 30);
  assert.equal(settings['limits.spaces_gb'], 1.5);
  assert.equal(settings['stt.live'], 'after-the-stop');
  assert.deepEqual(settings['server.allowed_hosts'], ['a.example', 'b:8080', '[::1]:80']);
  assert.deepEqual(settings['server.trusted_proxies'], ['10.0.0.0/8']);
  assert.equal(settings['notes.vault'], '/srv/vault');
  assert.equal(settings['llm.model'], null, 'an empty variable is none');
  assert.equal(settings['auth.session_hours'], 336);
  assert.deepEqual(environmentSettings({ MITSCHRIFT_LLM_MODEL: '', OTHER: 'x' }), {});
  assert.equal(new Set(settingKeys.map(variableOf)).size, settingKeys.length);
});

test('variables that nothing reads are named, with the one that was meant', () => {
  const env = {
    MITSCHRIFT_DATA: '/srv',
    MITSCHRIFT_STT_BASE_URL: 'http://host',
    MITSCHRIFT_STT_BASEURL: 'x',
    MITSCHRIFT_LLM_MODELL: 'x',
    MITSCHRIFT_Port: '1',
    MITSCHRIFT_SOMETHING_ELSE_ENTIRELY: 'x',
    OTHER: 'x',
  };
  assert.deepEqual(unknownVariables(env), [
    { variable: 'MITSCHRIFT_STT_BASEURL', nearest: 'MITSCHRIFT_STT_BASE_URL' },
    { variable: 'MITSCHRIFT_LLM_MODELL', nearest: 'MITSCHRIFT_LLM_MODEL' },
    { variable: 'MITSCHRIFT_Port', nearest: 'MITSCHRIFT_PORT' },
    { variable: 'MITSCHRIFT_SOMETHING_ELSE_ENTIRELY', nearest: null },
  ]);
  const right = Object.fromEntries(settingKeys.map((key) => [variableOf(key), 'x']));
  assert.deepEqual(unknownVariables(right), []);
});

test('every wrong variable is named, and no secret with it', () => {
  assert.throws(
    () =>
      settingsFrom({
        MITSCHRIFT_LLM_TIMEOUT: '0x10',
        MITSCHRIFT_STT_LIVE: 'maybe',
        MITSCHRIFT_STT_BASE_URL: 'host:8000',
        MITSCHRIFT_LLM_API_KEY: 'geheim mit leerzeichen',
        MITSCHRIFT_NOTES_VAULT: 'vault',
      }),
    (error: Error) => {
      for (const name of ['LLM_TIMEOUT', 'STT_LIVE', 'STT_BASE_URL', 'LLM_API_KEY', 'NOTES_VAULT'])
        assert.match(error.message, new RegExp(`MITSCHRIFT_${name}: `));
      return !error.message.includes('geheim');
    },
  );
});

test('src/config/settings.md has the settings as they are (npm run settings), and the check can fail', async () => {
  const readme = await readFile(new URL('../../src/config/settings.md', import.meta.url), 'utf8');
  assert.equal(readme, replaceSettings(readme));
  assert.notEqual(readme.replace('`llm.timeout`', '`llm.time`'), replaceSettings(readme));
});

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { modelsDir } from '../support/models.ts';
import { speak } from '../support/espeak.ts';
import { startLanguageServer, type LanguageServer } from '../support/language-servers.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import {
  apiOf,
  setUp,
  startServiceProcess,
  uploadForm,
  type ServiceProcess,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { resourcesOf, untilFlat } from './resources.ts';
import { allRecordings, checkFacts, documentsOf, settle, type Recording } from './story.ts';
import { program } from '../support/program.ts';

const rounds = times({ short: 3, long: 200 });
/** Uploads of one round, and the longest life of the service in it, in milliseconds. */
const uploadsPerRound = { least: 1, most: 2 };
const lifeMs = { least: 100, most: 2500 };

const talks = [
  'good morning everyone and welcome to the weekly planning meeting',
  'the server was down for twenty minutes last night',
  'i think we should move the deadline to the end of march',
];

let language: LanguageServer;
before(async () => {
  language = await startLanguageServer({ flavour: 'openai' });
});
after(() => language.close());

test(
  `${rounds} times SIGKILL at random moments: every acknowledged upload ends in its documents (SEED=${seed})`,
  { timeout: 3_600_000 },
  async (t) => {
    const random = seeded(seed);
    const dataDir = await tempDir(t);
    await mkdir(join(dataDir, 'models'), { recursive: true });
    await cp(join(modelsDir, 'espeak-en'), join(dataDir, 'models', 'espeak-en'), {
      recursive: true,
    });
    const audio: Uint8Array<ArrayBuffer>[] = [];
    for (const [index, text] of talks.entries()) {
      const path = join(dataDir, `talk-${index}.wav`);
      await speak(text, path);
      audio.push(new Uint8Array(await readFile(path)));
    }
    const env = {
      MITSCHRIFT_LLM_BASE_URL: language.url,
      MITSCHRIFT_UI_LANGUAGE: 'en',
      MITSCHRIFT_LOG_LEVEL: 'warn',
    };
    let service: ServiceProcess | undefined;
    t.after(() => service?.end('SIGKILL'));
    service = await startServiceProcess(dataDir, env);
    const token = await setUp(service.url);

    // What an undisturbed service makes of each talk, alone and as a meeting.
    const expected = new Map<string, string>();
    for (const [index] of talks.entries()) {
      for (const kind of ['solo', 'meeting']) {
        const { recording_id } = await apiOf(service.url, token).post<Recording>(
          '/recordings',
          uploadForm(audio[index]!, { kind }),
        );
        await settle(service, token, [recording_id]);
        expected.set(`${index} ${kind}`, await documentsOf(service, token, recording_id));
      }
    }

    const undisturbed = await resourcesOf(service.pid);
    const acknowledged: { id: string; talk: number; kind: string }[] = [];
    let ids: string[] = [];
    let interrupted = 0;
    // What a kill hits depends on the moment: until something was acknowledged, and a stage cut off.
    const hasShown = () => acknowledged.length > 0 && interrupted > 0;
    for (let round = 1; round <= rounds || (!hasShown() && round <= 5 * rounds); round += 1) {
      const doomed = service;
      const uploads = uploadsPerRound.least + random.below(uploadsPerRound.most);
      const life = lifeMs.least + random.below(lifeMs.most - lifeMs.least);
      // The clock runs while uploads are on their way: some are killed before they are acknowledged.
      const death = new Promise<void>((resolve) => {
        setTimeout(() => void doomed.end('SIGKILL').then(() => resolve()), life);
      });
      for (let upload = 0; upload < uploads; upload += 1) {
        const talk = random.below(talks.length);
        const kind = random.chance(0.3) ? 'meeting' : 'solo';
        await apiOf(doomed.url, token)
          .post<Recording>('/recordings', uploadForm(audio[talk]!, { kind }))
          .then(
            ({ recording_id }) => acknowledged.push({ id: recording_id, talk, kind }),
            () => undefined,
          );
      }
      await death;
      service = await startServiceProcess(dataDir, env);
      if (round < rounds) continue;
      ids = await allRecordings(service, token);
      await settle(service, token, ids);
      interrupted = 0;
      for (const id of ids) interrupted += await checkFacts(service, token, id);
    }

    assert.ok(acknowledged.length > 0, 'a run in which nothing was acknowledged shows nothing');
    for (const { id, talk, kind } of acknowledged) {
      assert.equal(await documentsOf(service, token, id), expected.get(`${talk} ${kind}`));
    }
    const now = await untilFlat(service.pid, undisturbed);
    t.diagnostic(
      `${acknowledged.length} of ${ids.length} recordings were acknowledged, ${interrupted} stages interrupted; ${JSON.stringify({ undisturbed, now })}`,
    );
    assert.ok(interrupted > 0, 'a run in which no kill hit a running stage shows nothing');

    for (const running of [true, false]) {
      if (!running) assert.equal(await service.end('SIGTERM'), 0, 'it stops cleanly when asked to');
      const check = await replayCheck(dataDir);
      assert.deepEqual(check.differences, [], `replay --check with the service ${running}`);
      assert.ok(check.recordings >= acknowledged.length);
    }
  },
);

async function replayCheck(
  dataDir: string,
): Promise<{ recordings: number; differences: object[] }> {
  await stat(dataDir);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, 'replay', '--check', '--json'],
    { cwd: join(import.meta.dirname, '../..'), env: { ...process.env, MITSCHRIFT_DATA: dataDir } },
  );
  return JSON.parse(stdout) as { recordings: number; differences: object[] };
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { browserClient } from '../support/browser-client.ts';
import { speak } from '../support/espeak.ts';
import { modelsDir } from '../support/models.ts';
import { postgresCluster } from '../support/postgres.ts';
import { s3Server } from '../support/s3-server.ts';
import { seed, seeded, times } from '../support/seeded.ts';
import {
  type ServiceProcess,
  apiOf,
  setUp,
  startServiceProcess,
  uploadForm,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';
import { allRecordings, checkFacts, documentsOf, settle, type Recording } from './story.ts';

const rounds = times({ short: 1, long: 40 });
const talk = 'i think we should move the deadline to the end of march';
const wavHeader = 44;
type Role = 'serve' | 'work';
type Node = ServiceProcess & { role: Role };

for (const kind of ['a directory', 'a bucket'] as const)
  test(
    `nodes as people run them, with files in ${kind}, are killed while audio is sent: what was acknowledged ends in documents (SEED=${seed})`,
    { timeout: rounds * 120_000 },
    async (t) => {
      const random = seeded(seed);
      const root = await tempDir(t);
      const [shared, models, spoken] = ['shared', 'models', 'talk.wav'].map((name) =>
        join(root, name),
      ) as [string, string, string];
      for (const folder of [shared, models]) await mkdir(folder);
      await cp(join(modelsDir, 'espeak-en'), join(models, 'espeak-en'), { recursive: true });
      await speak(talk, spoken);
      const audio = new Uint8Array(await readFile(spoken));
      const pcm = Buffer.from(audio.subarray(wavHeader));
      const rate = Buffer.from(audio).readUInt32LE(24);
      const samples = pcm.length / 2;
      const { url: databaseUrl } = await postgresCluster(t);
      const blobsUrl =
        kind === 'a bucket'
          ? (await s3Server(t, { keepsConditions: true })).url()
          : pathToFileURL(shared).href;

      const nodes: Node[] = [];
      t.after(() => Promise.all(nodes.map((node) => node.end('SIGKILL'))));
      const start = async (role: Role): Promise<Node> => {
        const service = await startServiceProcess(join(root, randomUUID()), {
          MITSCHRIFT_DATABASE_URL: databaseUrl,
          MITSCHRIFT_BLOBS_URL: blobsUrl,
          MITSCHRIFT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
          MITSCHRIFT_ROLE: role,
          MITSCHRIFT_MODELS: models,
          MITSCHRIFT_UI_LANGUAGE: 'en',
          MITSCHRIFT_LOG_LEVEL: 'warn',
        });
        const node = { ...service, role };
        nodes.push(node);
        return node;
      };
      const of = (role: Role): Node[] => nodes.filter((node) => node.role === role);
      /** Another one comes for it. */
      const kill = async (victim: Node): Promise<void> => {
        nodes.splice(nodes.indexOf(victim), 1);
        await victim.end('SIGKILL');
        await start(victim.role);
      };
      const first = await start('serve');
      await Promise.all([start('serve'), start('work')]);
      const token = await setUp(first.url);

      const acknowledged: string[] = [];
      /** Asks under one key until it is acknowledged, at whichever node answers. */
      const upload = async (): Promise<string> => {
        const key = { 'idempotency-key': randomUUID() };
        for (;;) {
          const form = uploadForm(audio, { kind: 'solo' });
          try {
            const api = apiOf(random.pick(of('serve')).url, token, key);
            const { recording_id: id } = await api.post<Recording>('/recordings', form);
            acknowledged.push(id);
            return id;
          } catch (error) {
            // No answer came, or one of a node that cannot do it now: it may have been done or not.
            const { name, message } = error as Error;
            if (name !== 'TypeError' && !/: (409|503) /.test(message)) throw error;
            await pause(50);
          }
        }
      };
      const undisturbed = await upload();
      await settle(first, token, [undisturbed]);
      const expected = await documentsOf(first, token, undisturbed);

      /** By their ids, whether what was not sent by then came after the end. */
      const recorded = new Map<string, boolean>();
      for (let round = 0; round < rounds; round += 1) {
        let at = random.pick(of('serve'));
        const connect = (recordingId?: string) => {
          const client = browserClient({
            url: () => at.url,
            token,
            pcm,
            rate,
            frameSamples: 800,
            ...(recordingId === undefined ? {} : { recordingId }),
          });
          // It would come back again and again.
          t.after(() => client.vanish());
          return client;
        };
        const isLate = random.chance(0.5);
        let browser = connect();
        const sent = 1 + random.below(samples - 2);
        await browser.sendTo(sent);
        if (isLate) browser = connect((await browser.stop()).recording_id);
        await browser.sendTo(sent + random.below(samples - sent));
        const coming = [upload(), upload()];
        const sending = browser.sendTo(samples);
        await pause(random.below(150));
        const victim = at;
        at = of('serve').find((node) => node !== victim)!;
        const killing = kill(victim);
        await Promise.all([...coming, sending]);
        const last = await browser.stop();
        assert.equal(last.samples, samples);
        recorded.set(browser.recordingId()!, isLate);
        await killing;
        // In whatever it is at: speech, words, documents.
        await pause(random.below(500));
        await kill(of('work')[0]!);
      }

      const service = random.pick(of('serve'));
      const browsers = [...recorded.keys()];
      await settle(service, token, [...acknowledged, ...browsers]);
      const ids = await allRecordings(service, token);
      assert.deepEqual(ids.toSorted(), [...acknowledged, ...browsers].toSorted(), 'each once');
      for (const id of ids) {
        await checkFacts(service, token, id);
        if (acknowledged.includes(id))
          assert.equal(await documentsOf(service, token, id), expected, id);
      }
      for (const id of browsers) {
        const answer = await fetch(`${service.url}/recordings/${id}/audio`, {
          headers: { authorization: `Bearer ${token}` },
        });
        const whole = Buffer.from(await answer.arrayBuffer());
        assert.deepEqual(whole.subarray(wavHeader), pcm, `${id} has each sample once, in order`);
        const { events } = await apiOf(service.url, token).get<{ events: { type: string }[] }>(
          `/recordings/${id}/events?limit=200`,
        );
        const count = (type: string) => events.filter((fact) => fact.type === type).length;
        assert.equal(count('audio.captured'), 1);
        if (recorded.get(id)) assert.ok(count('audio.extended') > 0);
        else assert.equal(count('transcription.completed'), 1);
      }
      t.diagnostic(
        JSON.stringify({
          rounds,
          uploads: acknowledged.length,
          browsers: browsers.length,
          late: [...recorded.values()].filter(Boolean).length,
        }),
      );
    },
  );

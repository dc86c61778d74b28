import type { Check } from '../doctor/check.ts';
import { lookAtAll } from '../doctor/check.ts';
import { brokenPackages, runtimeLooks } from '../doctor/host-checks.ts';
import { askService } from '../control/socket.ts';
import { guides } from '../doctor/guide.ts';
import { hostFrom } from '../shared/data-directory.ts';
import { packageRoot } from '../shared/package.ts';
import { join } from 'node:path';

/**
 * Says what is there, what is missing and what to do about it: as the service that runs sees it, else what keeps it
 * from starting too. Exit code 1 when something is missing.
 */
export async function doctor(options: { json: boolean }): Promise<void> {
  const checks = await checksOfHost();
  if (options.json) console.log(JSON.stringify({ checks }));
  else for (const check of checks) console.log(described(check));
  if (checks.some(({ status }) => status === 'missing')) process.exitCode = 1;
}

const service = {
  id: 'service',
  title: 'Service',
  link: '/docs/readme#first-steps',
};

async function checksOfHost(): Promise<Check[]> {
  const host = hostFrom(process.env);
  const running = await askService<Check[]>(host.data.controlSocket, 'doctor').catch(messageOf);
  if (Array.isArray(running)) {
    return [{ ...service, status: 'ok', detail: 'It runs.', remedy: null }, ...running];
  }
  const down: Check = {
    ...service,
    status: 'limited',
    detail: running === null ? 'It does not run.' : `It runs, and does not answer: ${running}.`,
    remedy: {
      text: 'Start it.',
      command: running === null ? 'npm start' : 'systemctl --user restart mitschrift',
    },
  };
  const broken = await brokenPackages(AbortSignal.timeout(runtimeMs));
  // Without these nothing else of ours can be loaded.
  if (broken.some(({ needed }) => needed)) {
    return [down, ...(await lookAtAll(runtimeLooks(), console))];
  }
  return [down, ...(await (await import('./doctor-alone.ts')).checksAlone(host))];
}

const runtimeMs = 30_000;
const marks = { ok: '✔', limited: '–', missing: '✖' };

function described({ title, status, detail, remedy, link }: Check): string {
  const line = `${marks[status]} ${title}: ${detail}`;
  if (!remedy) return line;
  const command = remedy.command === undefined ? '' : `\n      ${remedy.command}`;
  return `${line}\n    → ${remedy.text}${command}\n      (${pageOf(link)})`;
}

/** The file that the service shows at an address: it may be down. */
function pageOf(link: string): string {
  const [, name = '', heading = ''] = /^\/docs\/(\w+)#(.+)$/.exec(link) ?? [];
  const file = Object.entries(guides).find(([guide]) => guide === name)?.[1];
  return file === undefined ? link : `${join(packageRoot, file)}#${heading}`;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

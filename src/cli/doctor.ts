import { pathToFileURL } from 'node:url';
import type { Check, CheckAnswer, Remedy } from '../doctor/check.ts';
import { asLimited, asOk, checkIn, lookAtAll } from '../doctor/check.ts';
import { brokenPackages, runtimeLooks } from '../doctor/host-checks.ts';
import { askService } from '../service/control/socket.ts';
import { guidePath, guides } from '../doctor/guide.ts';
import { commandLine } from '../shared/command-line.ts';
import { type Host, hostFrom } from '../shared/data-directory.ts';
import { messageOf } from '../shared/errors.ts';
import { check } from '../words/checks.ts';
import { isUnitInstalled } from './service.ts';

/**
 * Says what is there, what is missing and what to do about it: as the service that runs sees it, else what keeps it
 * from starting too. Exit code 1 when something is missing.
 */
export async function doctor(options: { json: boolean }): Promise<void> {
  const host = hostFrom(process.env);
  const checks = await checksOfHost(host);
  // A service of an earlier release, which goes on after an update, answers in words.
  const answers = checks.map((one) => ('said' in one ? checkIn('en', one) : (one as CheckAnswer)));
  if (options.json) console.log(JSON.stringify({ checks: answers }));
  else {
    // It may be down, and one of an earlier release does not say it.
    const url = await askService<string>(host.data.controlSocket, 'url').catch(() => null);
    for (const one of answers) console.log(described(one, url));
  }
  if (checks.some(({ status }) => status === 'missing')) process.exitCode = 1;
}

const service = { id: 'service', link: '/docs/readme#first-steps' } as const;

async function checksOfHost(host: Host): Promise<Check[]> {
  const running = await askService<Check[]>(host.data.controlSocket, 'doctor').catch(messageOf);
  if (Array.isArray(running)) {
    return [{ ...service, ...asOk(check('service-runs')) }, ...running];
  }
  const down: Check = {
    ...service,
    ...(running === null
      ? asLimited(check('service-stopped'), await startAgain('start'))
      : asLimited(check('service-silent', { cause: running }), await startAgain('restart'))),
  };
  const broken = await brokenPackages(AbortSignal.timeout(runtimeMs));
  // Without these nothing else of ours can be loaded.
  if (broken.some(({ needed }) => needed)) {
    return [down, ...(await lookAtAll(runtimeLooks(), console))];
  }
  return [down, ...(await (await import('./doctor-alone.ts')).checksAlone(host))];
}

async function startAgain(how: 'start' | 'restart'): Promise<Remedy> {
  if (await isUnitInstalled()) return { command: `systemctl --user ${how} mitschrift` };
  return how === 'restart' ? {} : { command: commandLine('serve') };
}

const runtimeMs = 30_000;
const marks = { ok: '✔', limited: '–', missing: '✖' };

function described(
  { title, status, detail, remedy, link }: CheckAnswer,
  url: string | null,
): string {
  const line = `${marks[status]} ${title}: ${detail}`;
  if (!remedy) return line;
  const command = remedy.command === undefined ? '' : `\n      ${remedy.command}`;
  return `${line}\n    → ${remedy.text}${command}\n      (${url === null ? fileOf(link) : url + link})`;
}

/** The file that a service shows at an address: where a terminal shows it, a press opens it (OSC 8). */
function fileOf(link: string): string {
  const [, name = '', heading = ''] = /^\/docs\/(\w+)#(.+)$/.exec(link) ?? [];
  const file = Object.entries(guides).find(([guide]) => guide === name)?.[1];
  if (file === undefined) return link;
  const path = guidePath(file);
  const shown = `${path}#${heading}`;
  if (!process.stdout.isTTY) return shown;
  return `\u001B]8;;${pathToFileURL(path).href}\u001B\\${shown}\u001B]8;;\u001B\\`;
}

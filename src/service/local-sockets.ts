import type { Parts } from './compose.ts';
import * as z from 'zod';
import { ulid } from 'ulid';
import type { Server } from 'node:http';
import { recordings, statusOf } from '../../projections/recordings.ts';
import { linkTo, pageAddressFrom } from '../config/page-address.ts';
import { answerCall, callAnswerSchema } from '../capture/calls/answer-call.ts';
import type { Check } from '../doctor/check.ts';
import { integrityHandlers, quarantineCommands } from './control/data-commands.ts';
import { type ControlHandlers, openControl } from './control/socket.ts';
import { userCommands } from './control/user-commands.ts';
import { callShown } from '../http/feed/call-frame.ts';
import { unfinished } from '../http/middleware/ready.ts';
import { toggleSchema } from '../http/routes/toggle.ts';
import { guest } from '../http/visible-recording.ts';
import type { DataFolder, Host } from '../shared/data-directory.ts';
import type { Log } from '../shared/log.ts';

/** What the commands of this machine ask. */
type Asked = Parts & { doctor(): Promise<Check[]> };

/** The hotkey and the tray wait this long for a service that starts, in milliseconds. */
const triggerWaitMs = 30_000;

/** The sockets of this machine's commands, hotkey and tray. They answer when what they ask for is there. */
export async function openLocalSockets(
  { host, log }: { host: Host; log: Log },
  opening: Promise<Asked>,
  url: () => string,
): Promise<Server[]> {
  const { data } = host;
  const control = await openControl(
    data.controlSocket,
    opening.then((parts) => ({
      ...controlHandlers(parts, data, log),
      ...userCommands(
        parts.accounts,
        () => pageAddressFrom(parts.config.settings(), host) ?? url(),
      ),
      url: async () => url(),
      'setup-link': async () => ({ link: linkOf(parts, url()) }),
    })),
  );
  const trigger = await openControl(data.triggerSocket, opening.then(triggerHandlers));
  return [control, trigger];
}

/** While there is no user. */
export function linkOf({ accounts }: Pick<Parts, 'accounts'>, url: string): string | null {
  const code = accounts.setupCode();
  return code === null ? null : linkTo(url, '/setup', `code=${code}`);
}

/** Resolves when what was asked for is answered. */
export const closeSockets = (sockets: readonly Server[]): Promise<unknown> =>
  Promise.all(
    sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
  );

/** As the guest. They wait for a service that starts: a person has pressed a key and is speaking already. */
const triggerHandlers = (parts: Parts): ControlHandlers => {
  const { toggle, readiness, storage, captures } = parts;
  const whoAsks = () => ({ owner: guest, trigger: 'hotkey', command: `${guest}:${ulid()}` });
  return {
    toggle: async (request) => {
      await readiness.until([recordings.name, unfinished], triggerWaitMs);
      return await toggle(whoAsks(), toggleSchema.parse(request));
    },
    status: async () => {
      await readiness.until([recordings.name], triggerWaitMs);
      // Who is at this machine sees that its room is being recorded, whoever does it.
      const call = callShown(parts, { userId: guest, isAdmin: true });
      return { ...(await statusOf(storage, guest)), held: captures.held(), call };
    },
    'answer-call': async (answer) =>
      await answerCall(parts, whoAsks(), callAnswerSchema.parse(answer)),
  };
};

function controlHandlers(parts: Asked, data: DataFolder, log: Log): ControlHandlers {
  const { store, config, doctor, models } = parts;
  return {
    settings: async () => config.settings(),
    doctor: () => doctor(),
    'model-changed': async (body) => {
      models.changed(changedModel.parse(body).id);
      return null;
    },
    ...quarantineCommands({ data, log }),
    ...integrityHandlers({ ...parts, data }),
    'replay-from': async (body) => {
      const { recording, from } = replaying.parse(body);
      const { replayFrom } = await import('../recordings/replay-from.ts');
      return await replayFrom(parts, recording, from);
    },
    'replay-check': async (recording) => {
      const { checkLog } = await import('../recordings/check-log.ts');
      return await checkLog(store, typeof recording === 'string' ? recording : undefined);
    },
  };
}

const changedModel = z.strictObject({ id: z.string() });
const replaying = z.strictObject({ recording: z.string(), from: z.string() });

import { messageOf } from '../shared/errors.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** What a method or property looks like on the bus: D-Bus signatures, and who answers. */
export type BusInterface = {
  name: string;
  /** Signatures of arguments and of the result. */
  methods: Record<string, [args: string, result: string]>;
  properties: Record<string, string>;
  signals: Record<string, [args: string]>;
};

/** A connection to the desktop session's D-Bus. */
export interface SessionBus {
  /** Calls a method. @returns its first value @throws {Error} what the other side says. */
  call(target: BusCall): Promise<unknown>;
  /** Serves an object. `parts` has its methods as functions and its properties as values or getters. */
  serve(path: string, description: BusInterface, parts: object): void;
  signal(path: string, description: BusInterface, name: string, args: unknown[]): void;
  /** Calls back whenever a name gets an owner. */
  onOwner(name: string, listener: () => void): Promise<void>;
  /** Calls back with the values of each such signal. */
  onSignal(
    from: { path: string; interface: string; member: string },
    listener: (values: unknown[]) => void,
  ): Promise<void>;
  /** Settles when the bus has ended; with the error if there was one. */
  readonly ended: Promise<Error | null>;
  close(): void;
}

export type BusCall = {
  destination: string;
  path: string;
  interface: string;
  member: string;
  signature?: string;
  body?: unknown[];
};

/** An answer that has not come by then will not come, milliseconds. */
const answerWithinMs = 5000;

const bus = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

/** @throws {Error} in words for a person when there is no session bus. */
export async function openSessionBus(env: NodeJS.ProcessEnv): Promise<SessionBus> {
  const { default: library } = (await import('@homebridge/dbus-native')) as unknown as Library;
  const native = library.sessionBus({ busAddress: addressFrom(env) });
  const { connection } = native;
  const ended = new Promise<Error | null>((resolve) => {
    connection.on('error', (error: Error) => resolve(error));
    connection.on('end', () => resolve(null));
  });
  hardenAgainstNonsense(native);
  await new Promise<void>((resolve, reject) => {
    connection.once('connect', resolve);
    void ended.then((error) => reject(noBus(error?.message ?? 'it ended')));
  });

  const call = (target: BusCall): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${target.destination} does not answer`)),
        answerWithinMs,
      );
      native.invoke(target, (error, value) => {
        clearTimeout(timer);
        if (error) reject(new Error(`${error.name}: ${error.message}`));
        else resolve(value);
      });
    });

  const onSignal = async (
    { path, interface: name, member }: { path: string; interface: string; member: string },
    listener: (values: unknown[]) => void,
    more = '',
  ): Promise<void> => {
    native.signals.on(native.mangle(path, name, member), listener);
    const match = `type='signal',path='${path}',interface='${name}',member='${member}'${more}`;
    await call({ ...bus, member: 'AddMatch', signature: 's', body: [match] });
  };

  return {
    call,
    ended,
    serve: (path, description, parts) => native.exportInterface(parts, path, description),
    signal(path, description, name, args) {
      native.sendSignal(path, description.name, name, description.signals[name]?.[0] ?? '', args);
    },
    async onOwner(name, listener) {
      const from = { path: bus.path, interface: bus.interface, member: 'NameOwnerChanged' };
      await onSignal(
        from,
        (body) => {
          if (body[0] === name && body[2] !== '') listener();
        },
        `,arg0='${name}'`,
      );
    },
    onSignal: (from, listener) => onSignal(from, listener),
    close: () => connection.end(),
  };
}

function addressFrom(env: NodeJS.ProcessEnv): string {
  const address = env['DBUS_SESSION_BUS_ADDRESS'];
  if (address) return address;
  const socket = join(env['XDG_RUNTIME_DIR'] ?? '/nonexistent', 'bus');
  if (existsSync(socket)) return `unix:path=${socket}`;
  throw noBus('DBUS_SESSION_BUS_ADDRESS is not set');
}

const noBus = (why: string) =>
  new Error(`There is no desktop session for a tray icon: no D-Bus session bus (${why}).`);

/** The library throws when a client asks for a property that does not exist. No client may end this process. */
function hardenAgainstNonsense(native: NativeBus): void {
  const { connection } = native;
  const handlers = connection.listeners('message');
  connection.removeAllListeners('message');
  connection.on('message', (message: NativeMessage) => {
    try {
      for (const handle of handlers) handle(message);
    } catch (error) {
      if (message.sender === undefined) return;
      const text = messageOf(error);
      native.sendError(message, 'org.freedesktop.DBus.Error.InvalidArgs', text);
    }
  });
}

type Library = { default: { sessionBus(options: { busAddress: string }): NativeBus } };
type NativeMessage = { sender?: string };
type NativeBus = {
  connection: Omit<NodeJS.EventEmitter, 'listeners'> & {
    end(): void;
    listeners(event: 'message'): ((message: NativeMessage) => void)[];
  };
  signals: NodeJS.EventEmitter;
  mangle(path: string, name: string, member: string): string;
  invoke(
    call: BusCall,
    callback: (error: { name: string; message: string } | null, value: unknown) => void,
  ): void;
  sendSignal(path: string, iface: string, name: string, signature: string, args: unknown[]): void;
  sendError(message: NativeMessage, name: string, text: string): void;
  exportInterface(parts: object, path: string, description: BusInterface): void;
};

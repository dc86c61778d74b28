/** The newest value of each name, sent at most so often. Values that came before it are dropped unseen. */
export type NewestOfEach<Value> = {
  add(name: string, value: Value): void;
  /** What is not sent yet of it never is. */
  forget(name: string): void;
  /** Sends nothing any more. */
  stop(): void;
};

/**
 * @param options.everyMs between two values of a name
 * @param options.max names that wait at a time; values of others are handed to `onTooMany` meanwhile
 */
export function newestOfEach<Value>(
  send: (name: string, value: Value) => void,
  options: { everyMs: number; max?: number; onTooMany?: () => void },
): NewestOfEach<Value> {
  const { everyMs, max = Infinity, onTooMany = () => {} } = options;
  const newest = new Map<string, Value>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    for (const [name, value] of newest) send(name, value);
    newest.clear();
  };
  return {
    add(name, value) {
      if (newest.size >= max && !newest.has(name)) {
        onTooMany();
        return;
      }
      newest.set(name, value);
      timer ??= setTimeout(flush, everyMs);
    },
    forget: (name) => void newest.delete(name),
    stop: () => clearTimeout(timer),
  };
}

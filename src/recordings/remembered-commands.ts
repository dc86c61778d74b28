import type { LoggedRecordingFact } from './logged-recording-fact.ts';

/** The facts that commands on a recording led to: a repetition is answered with the first. */
export interface RememberedCommands {
  add(fact: LoggedRecordingFact): void;
  /** Of a command, the fact of that type. */
  get(type: string, command: string): LoggedRecordingFact | undefined;
}

/** Commands remembered per recording: a repetition comes soon or not at all. */
const commandsMax = 1000;

export function rememberedCommands(): RememberedCommands {
  const facts = new Map<string, LoggedRecordingFact>();
  return {
    add(fact) {
      // Content may be large, and a repetition only needs to know that it was stored.
      const { content: _content, ...rest } = fact;
      facts.set(key(fact.type, fact.command), rest);
      if (facts.size > commandsMax) facts.delete(facts.keys().next().value!);
    },
    get: (type, command) => facts.get(key(type, command)),
  };
}

const key = (type: string, command: string): string => `${type} ${command}`;

import type { Block } from '../../events/facts/transcript.ts';
import { type LabelledTurn, joinTurns } from './join-turns.ts';
import type { Utterance } from './utterances.ts';

/**
 * Words and speakers joined channel by channel, in order of time: a word of one channel is never another channel's
 * speaker's. What was recognised of the mix is joined as one. Pure.
 * @param channelOf the channel of a label
 * @param speakersMin so many people speak at least
 */
export function joinChannels(
  utterances: readonly Utterance[],
  turns: readonly LabelledTurn[],
  channelOf: (label: string) => number | undefined,
  speakersMin = 1,
): Block[] {
  const channels = [...new Set(utterances.map(({ channel }) => channel))];
  const joined = channels.flatMap((channel) => {
    const own = turns.filter(([, , label]) => channelOf(label) === channel);
    const said = utterances.filter((utterance) => utterance.channel === channel);
    return joinTurns(said, channel === undefined || own.length === 0 ? turns : own, speakersMin);
  });
  return joined
    .toSorted((a, b) => a.start - b.start)
    .map((block, at) => ({ ...block, id: `t-${String(at + 1).padStart(4, '0')}` }));
}

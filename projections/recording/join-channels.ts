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
  const joined = channelLanes(utterances).flatMap((said) => {
    const channel = said[0]?.channel;
    const own = turns.filter(([, , label]) => channelOf(label) === channel);
    return joinTurns(said, channel === undefined || own.length === 0 ? turns : own, speakersMin);
  });
  return joined
    .toSorted((a, b) => a.start - b.start)
    .map((block, at) => ({ ...block, id: `t-${String(at + 1).padStart(4, '0')}` }));
}

/**
 * The utterances of each channel, in order of time. Where recordings with and without channels were put together no
 * channel is known: what overlaps what is before it is of another.
 */
export function channelLanes(utterances: readonly Utterance[]): Utterance[][] {
  const found: Utterance[][] = [];
  for (const one of utterances) {
    const own = found.findLast(([first]) => first?.channel === one.channel);
    if (own && own.at(-1)!.end <= one.start) own.push(one);
    else found.push([one]);
  }
  return found;
}

import type * as z from 'zod';
import type { Personal } from '../../projections/personal.ts';
import type { DecideRecording } from '../../projections/recording/decide.ts';
import { type Order, orderOf } from '../../projections/recording/order.ts';
import type { RecordingRow } from '../../projections/recording-row.ts';
import type { Accepted } from '../recordings/import-audio.ts';
import { folderOf } from './order-changes.ts';
import type { RouteRequest } from './route.ts';
import { refusal, type refusals } from './several.ts';
import type { HttpServices } from './services.ts';
import { visibleRecording } from './visible-recording.ts';
import { refuseWhenStopped, untilReadable } from './written.ts';

type Ordered = {
  recording_id: string;
  /** Where it was before this command, also when the command is repeated; `rule_template`: which a rule chose. */
  before: Omit<Order, 'template'> & { rule_template: string | null };
  /** Whether the command said anything of it. */
  isOther: boolean;
};

/**
 * Puts recordings in order, one after the other, each by a command of its own: what is refused keeps no other from it, and
 * a repetition goes on where it stopped, with `before` as it was the first time.
 * @param decisionOn what is to be done with one. @throws what it is refused for
 */
export async function orderedTogether(
  services: HttpServices,
  { ctx, caller, onBehalf }: Pick<RouteRequest, 'ctx' | 'caller' | 'onBehalf'>,
  ids: readonly string[],
  decisionOn: (
    id: string,
    row: RecordingRow,
    personal: Personal,
  ) => DecideRecording | Promise<DecideRecording>,
): Promise<{ done: Ordered[]; refused: z.output<typeof refusals> }> {
  refuseWhenStopped(services);
  const done: Ordered[] = [];
  const refused: z.output<typeof refusals> = [];
  let last: Accepted | undefined;
  for (const id of ids) {
    try {
      const row = await visibleRecording(services, caller, id);
      const personal = await services.order.of(row.owner);
      const decision = await decisionOn(id, row, personal);
      await services.refreshing.note(id);
      const command = `${onBehalf.command}/${id}`;
      const metadata = { by: onBehalf.by, command };
      const { facts, ...accepted } = await services.recordingService.decide(id, metadata, decision);
      if (facts.length > 0) last = accepted;
      const before = orderBefore(await services.recordingService.read(id), facts[0]?.version);
      done.push({ recording_id: id, before: ofNow(before, personal), isOther: facts.length > 0 });
    } catch (error) {
      refused.push({ recording_id: id, ...refusal(ctx, error) });
    }
  }
  if (last) await untilReadable(services, last);
  void services.refreshing.look();
  return { done, refused };
}

type Read = Awaited<ReturnType<HttpServices['recordingService']['read']>>;

/** @param version of the command's first fact; without one it changed nothing */
const orderBefore = ({ recording: { facts } }: Read, version = Infinity): Order =>
  orderOf({ facts: facts.filter((fact) => fact.version < version) });

/** Without what was deleted since. */
const ofNow = (order: Order, personal: Personal): Ordered['before'] => ({
  folder: folderOf(order, personal),
  tags: order.tags.filter((tag) => personal.tags.has(tag)),
  rule_template: order.template,
});

import { tagsMax } from '../../events/facts/order.ts';
import type { RecordingFact } from '../../events/facts/recording.ts';
import type { Refusal } from '../../events/command-handler.ts';
import { fieldFault } from '../../src/words/field-faults.ts';
import type { Recording } from './recording.ts';

/** Where a recording is put: ids of its owner's folders and tags. */
export type Order = {
  folder: string | null;
  tags: readonly string[];
  /** Which template a rule chose for its summaries, unless that was taken back. */
  template: string | null;
};

/** What is left out stays; `tags` are all, the others some of them. */
export type OrderChanges = {
  folder?: string | null | undefined;
  tags?: readonly string[] | undefined;
  addTags?: readonly string[] | undefined;
  removeTags?: readonly string[] | undefined;
  template?: string | null | undefined;
};

export type OrderRefusal = Refusal<'TOO_MANY_TAGS'>;

export const noOrder: Order = { folder: null, tags: [], template: null };

/** Where it is: what its owner said of it; another owner begins without. Pure. */
export function orderOf({ facts }: Pick<Recording, 'facts'>): Order {
  let order = noOrder;
  for (const fact of facts) {
    if (fact.type === 'recording.filed') order = { ...order, folder: fact.data.folder };
    else if (fact.type === 'tags.changed') order = { ...order, tags: fact.data.tags };
    else if (fact.type === 'template.chosen') order = { ...order, template: fact.data.template };
    else if (fact.type === 'recording.handed_over') order = noOrder;
  }
  return order;
}

/** The facts that put it elsewhere; none where it is there already. Pure. */
export function orderChanged(
  recording: Pick<Recording, 'facts'>,
  { tags, addTags = [], removeTags = [], ...changes }: OrderChanges,
): readonly RecordingFact[] | OrderRefusal {
  const before = orderOf(recording);
  const kept = [...(tags ?? before.tags), ...addTags].filter((tag) => !removeTags.includes(tag));
  const after = [...new Set(kept)];
  if (after.length > tagsMax) {
    return { refused: 'TOO_MANY_TAGS', said: fieldFault('too-many-tags', { limit: tagsMax }) };
  }
  const { folder = before.folder, template = before.template } = changes;
  return factsBetween(before, { folder, tags: after, template });
}

function factsBetween(before: Order, { folder, tags, template }: Order): RecordingFact[] {
  const facts: RecordingFact[] = [];
  if (folder !== before.folder) facts.push({ type: 'recording.filed', data: { folder } });
  const isSame =
    tags.length === before.tags.length && tags.every((tag) => before.tags.includes(tag));
  if (!isSame) facts.push({ type: 'tags.changed', data: { tags: [...tags] } });
  if (template !== before.template) facts.push({ type: 'template.chosen', data: { template } });
  return facts;
}

/**
 * What was said of another's order after a version of its stream, as far as this one followed it until then: it is said of
 * this one, too. Pure.
 */
export function orderSince(
  own: Pick<Recording, 'facts'>,
  other: Pick<Recording, 'facts'>,
  version: number,
): OrderChanges {
  const before = orderOf({ facts: other.facts.filter((fact) => fact.version <= version) });
  const [now, after] = [orderOf(own), orderOf(other)];
  const follows = <K extends 'folder' | 'template'>(key: K) =>
    after[key] !== before[key] && now[key] === before[key] ? { [key]: after[key] } : {};
  const addTags = after.tags.filter((tag) => !before.tags.includes(tag) && !now.tags.includes(tag));
  const removeTags = before.tags.filter((tag) => !after.tags.includes(tag));
  const room = tagsMax - now.tags.filter((tag) => !removeTags.includes(tag)).length;
  return {
    ...follows('folder'),
    ...follows('template'),
    addTags: addTags.slice(0, room),
    removeTags,
  };
}

/** Version of the fact that said last where it is put; 0: none did. */
export const orderVersion = ({ facts }: Pick<Recording, 'facts'>): number =>
  facts.findLast(({ type }) => orderTypes.has(type))?.version ?? 0;

const orderTypes: ReadonlySet<string> = new Set<RecordingFact['type']>([
  'recording.filed',
  'tags.changed',
  'template.chosen',
]);

/** What is made of another is found where that is, and where it is itself: as many tags as it may have. Pure. */
export function orderTaken(own: Order, others: Order): readonly RecordingFact[] {
  const tags = [...new Set([...own.tags, ...others.tags])].slice(0, tagsMax);
  const [folder, template] = [own.folder ?? others.folder, own.template ?? others.template];
  return factsBetween(own, { folder, tags, template });
}

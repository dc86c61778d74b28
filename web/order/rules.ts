/** Rules of who is logged in. No frame tells of them: they are read when their page is opened, and after each change. */
import { type Answered, answer, api } from '../client/api.ts';
import { openReading } from '../client/reading.ts';
import { type Change, otherThan, undoOf } from './order.ts';

export type Rule = Answered<'listRules'>['rules'][number];
export type Tried = Answered<'tryRule'>;
/** A note that a rule fits, with what it does to it. */
export type Fitting = Tried['fitting'][number];
/** What is saved of a rule. */
export type RuleParts = Pick<Rule, 'when' | 'then'>;
export type SavedRule = RuleParts & { id: string };

/** In their order. */
export const {
  value: rules,
  problem: rulesProblem,
  read: readRules,
} = openReading(async (): Promise<readonly Rule[]> => (await answer(api.GET('/rules'))).rules);

/**
 * @param saved as it was opened, or saved last: what is as it was there is not sent, another page may have changed it since;
 * null: a new one
 * @returns what was saved. @throws {ApiError}
 */
export async function saveRule(saved: SavedRule | null, parts: RuleParts): Promise<SavedRule> {
  const { id } =
    saved === null
      ? await answer(api.POST('/rules', { body: { ...parts, enabled: true } }))
      : await answer(
          api.PATCH('/rules/{rule}', {
            params: { path: { rule: saved.id } },
            body: otherThan<RuleParts>(saved, parts),
          }),
        );
  await readRules();
  return { id, ...parts };
}

/** @throws {ApiError} */
export async function switchRule(id: string, enabled: boolean): Promise<void> {
  await answer(api.PATCH('/rules/{rule}', { params: { path: { rule: id } }, body: { enabled } }));
  await readRules();
}

/** @throws {ApiError} */
export async function deleteRule(id: string): Promise<void> {
  await answer(api.DELETE('/rules/{rule}', { params: { path: { rule: id } } }));
  await readRules();
}

/** Puts a rule one place up (-1) or down (1) in their order of now, which another page may have made. @throws {ApiError} */
export async function moveRule(id: string, by: -1 | 1): Promise<void> {
  const ids = (await answer(api.GET('/rules'))).rules.map((rule) => rule.id);
  const at = ids.indexOf(id);
  const other = ids[at + by];
  if (at === -1 || other === undefined) return;
  ids[at] = other;
  ids[at + by] = id;
  rules.set((await answer(api.PUT('/rules/order', { body: { rules: ids } }))).rules);
}

/** What it would do to the newest notes. @throws {ApiError} */
export const tryRule = async (rule: RuleParts): Promise<Tried> =>
  await answer(api.POST('/rules/try', { body: { rule, limit: 200 } }));

/**
 * @param fitting the notes, with what it does to each
 * @returns how many were changed, and what undoes it. @throws {ApiError}
 */
export async function applyRule(id: string, fitting: readonly Fitting[]) {
  const done = new Map(fitting.map((one) => [one.recording_id, one]));
  const body = { rule: id, recording_ids: [...done.keys()] };
  const { changed, refused } = await answer(api.POST('/rules/apply', { body }));
  const undo = changed.map(({ recording_id, before }): Change => {
    const { folder = null, add_tags = [], template = null } = done.get(recording_id) ?? {};
    return {
      recording_id,
      ...undoOf({ add_tags, ...(folder !== null && { folder }) }, before),
      ...(template !== null && { rule_template: before.rule_template }),
    };
  });
  return { count: changed.length, refused, undo };
}

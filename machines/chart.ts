import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import layout from './chart-layout.json' with { type: 'json' };
import { type ConditionName, conditions } from './guards.ts';
import { machineVersion, recordingMachine } from './recording.ts';

/** The statechart for `GET /machine`. */
export type Chart = ChartState & { id: string; version: number; layout: ChartLayout };
export type ChartState = {
  /** Path below the machine, e.g. `transcribing.finishing.punctuate`; empty for the machine itself. */
  path: string;
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  initial: string | null;
  /** The stage whose activity runs while the state is active; of several the first. */
  invokes: string | null;
  /** All of them. */
  activities: string[];
  transitions: ChartTransition[];
  states: Record<string, ChartState>;
};
export type ChartTransition = {
  /** Type of the fact; null when the state is left because all its regions are done. */
  event: string | null;
  /** Path of the state it leads to; null when it stays. */
  target: string | null;
  /** Name of the condition, then in words; null when there is none. */
  guard: string | null;
  condition: string | null;
};

/**
 * Where the states lie in a picture, in pixels: a state's place is within the state around it, points of edges
 * and places of labels (their middle) are of the whole. An edge stands for all transitions that go its way
 * (`test/machines/chart-layout.ts`).
 */
export type ChartLayout = {
  width: number;
  height: number;
  states: Record<string, { x: number; y: number; width: number; height: number }>;
  edges: {
    source: string;
    target: string;
    /** Types of the facts; none when the source is left because all its regions are done. */
    events: string[];
    points: { x: number; y: number }[];
    label: { text: string; x: number; y: number } | null;
  }[];
};

/** The machine's own definition, read each time: no copy that could be stale. */
export const chartJson = (): Chart => ({
  id: recordingMachine.id,
  version: machineVersion,
  layout,
  ...chartState(recordingMachine.root),
});

/** The state as Mermaid's `stateDiagram-v2` names it: the path without dots and hyphens. */
const mermaidId = (path: string): string => path.replaceAll(/[.-]/g, '_');

/**
 * The same as a picture in Mermaid, made for reading: what keeps a state as it is stands in the
 * state, its activity behind a ▶; facts of any stage are drawn at the top-level state around the
 * stages; what leaves a parallel state is drawn from there; alike transitions are one arrow.
 */
export function chartMermaid(): string {
  const chart = chartJson();
  const lines = ['stateDiagram-v2'];
  drawStates(chart, '  ', lines);
  const arrows = new Map<string, Set<string>>();
  collectArrows(chart, undefined, arrows);
  for (const [arrow, labels] of arrows) lines.push(`  ${arrow} : ${[...labels].join(' / ')}`);
  return `${lines.join('\n')}\n`;
}

function chartState(node: AnyStateNode): ChartState {
  return {
    path: node.path.join('.'),
    type: node.type,
    initial: node.type === 'compound' ? (node.initial?.target?.[0]?.key ?? null) : null,
    invokes: node.invoke[0]?.id ?? null,
    activities: node.invoke.map(({ id }) => id),
    transitions: [...node.transitions.values()].flat().map(chartTransition),
    states: Object.fromEntries(
      Object.entries(node.states).map(([key, child]) => [key, chartState(child)]),
    ),
  };
}

function chartTransition({ eventType, target, guard }: AnyTransitionDefinition): ChartTransition {
  const named = guard as string | { type: string; params?: unknown } | undefined;
  const name = typeof named === 'object' ? named.type : named;
  const condition = name === undefined ? undefined : conditions[name as ConditionName];
  const words = condition?.words;
  const params = typeof named === 'object' ? named.params : undefined;
  return {
    event: eventType.startsWith('xstate.done.state.') ? null : eventType,
    target: target?.[0]?.path.join('.') ?? null,
    guard: name ?? null,
    condition: typeof words === 'function' ? words(params as never) : (words ?? null),
  };
}

function drawStates(parent: ChartState, indent: string, lines: string[]): void {
  if (parent.initial !== null) {
    lines.push(`${indent}[*] --> ${mermaidId(parent.states[parent.initial]!.path)}`);
  }
  for (const [index, [key, state]] of Object.entries(parent.states).entries()) {
    if (parent.type === 'parallel' && index > 0) lines.push(`${indent}--`);
    const id = mermaidId(state.path);
    const label = state.type === 'history' ? `${key} (as it was left)` : key;
    const texts = textsIn(state, parent.path === '');
    if (Object.keys(state.states).length === 0) {
      lines.push(`${indent}state "${label}" as ${id}`);
      lines.push(...texts.map((text) => `${indent}${id} : ${text}`));
    } else {
      lines.push(`${indent}state "${label}" as ${id} {`);
      drawStates(state, `${indent}  `, lines);
      lines.push(`${indent}}`);
      if (texts.length > 0) {
        lines.push(`${indent}note left of ${id}`);
        lines.push(...texts.map((text) => `${indent}  ${text}`), `${indent}end note`);
      }
    }
    if (state.type === 'final') lines.push(`${indent}${id} --> [*]`);
  }
}

/** What a state runs, and the facts it takes in without being left. */
function textsIn(state: ChartState, isTop: boolean): string[] {
  const stays = isTop
    ? [...factsThatStay(state).filter((type) => !isOfAnyStage(type)), ...stageFactsWithin(state)]
    : factsThatStay(state).filter((type) => !isOfAnyStage(type));
  return [...state.activities.map((stage) => `▶ ${stage}`), ...new Set(stays)];
}

const factsThatStay = ({ transitions }: ChartState): string[] =>
  transitions.flatMap(({ event, target }) => (target === null && event !== null ? [event] : []));

const stageFactsWithin = (state: ChartState): string[] => [
  ...factsThatStay(state).filter(isOfAnyStage),
  ...Object.values(state.states).flatMap(stageFactsWithin),
];

const isOfAnyStage = (type: string): boolean => type.startsWith('stage.');

/** Arrows and their labels; `parallel` is the outermost parallel state around, if any. */
function collectArrows(
  state: ChartState,
  parallel: string | undefined,
  arrows: Map<string, Set<string>>,
): void {
  for (const { event, target, condition } of state.transitions) {
    if (target === null) continue;
    const leaves = parallel !== undefined && !target.startsWith(`${parallel}.`);
    const ofAnyStage = event !== null && isOfAnyStage(event);
    const from = ofAnyStage ? state.path.split('.')[0]! : leaves ? parallel : state.path;
    const inWords = condition !== null && from === state.path ? ` [${condition}]` : '';
    const label = event === null ? 'both done' : event + inWords;
    const arrow = `${mermaidId(from)} --> ${mermaidId(target)}`;
    arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(label));
  }
  const around = parallel ?? (state.type === 'parallel' ? state.path : undefined);
  for (const child of Object.values(state.states)) collectArrows(child, around, arrows);
}

import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import layout from './chart-layout.json' with { type: 'json' };
import { conditionOf, conditions } from './guards.ts';
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

function wordsOf({ type, params }: NonNullable<ReturnType<typeof conditionOf>>): string | null {
  const { words } = conditions[type];
  return typeof words === 'function' ? words(params) : (words ?? null);
}

function chartTransition({ eventType, target, guard }: AnyTransitionDefinition): ChartTransition {
  const asked = conditionOf(guard);
  return {
    event: eventType.startsWith('xstate.done.state.') ? null : eventType,
    target: target?.[0]?.path.join('.') ?? null,
    guard: asked?.type ?? null,
    condition: asked ? wordsOf(asked) : null,
  };
}

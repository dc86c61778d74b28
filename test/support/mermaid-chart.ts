import { type ChartState, chartJson } from '../../machines/chart.ts';

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

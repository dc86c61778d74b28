/**
 * Where the states of the statechart lie in a picture, by the Eclipse Layout Kernel (elkjs; its layered
 * algorithm, https://eclipse.dev/elk/reference/algorithms/org-eclipse-elk-layered.html). Laid out here and kept
 * in `machines/chart-layout.json`, because a browser would need half a megabyte for it.
 */
import elk, { type ElkExtendedEdge, type ElkNode } from 'elkjs/lib/elk.bundled.js';
import type { ChartLayout, ChartState } from '../../machines/chart.ts';

/** Lays a chart out. The same chart always gives the same layout. */
export async function layOut(chart: ChartState): Promise<ChartLayout> {
  const arrows = arrowsOf(chart);
  const graph = await new elk.default().layout(elkNode(chart, arrows));
  const layout: ChartLayout = {
    width: round(graph.width!),
    height: round(graph.height!),
    states: {},
    edges: [],
  };
  const visit = (parent: ElkNode, left: number, above: number): void => {
    for (const edge of parent.edges ?? []) {
      layout.edges.push(placed(edge, arrows[Number(edge.id)]!, left, above));
    }
    for (const child of parent.children ?? []) {
      const { id, x = 0, y = 0, width = 0, height = 0 } = child;
      layout.states[id] = { x: round(x), y: round(y), width: round(width), height: round(height) };
      visit(child, left + x, above + y);
    }
  };
  visit(graph, 0, 0);
  return layout;
}

/** As it is kept: a line a state and an edge, so that changes can be read. */
export const layoutText = ({ states, edges, ...size }: ChartLayout): string => {
  const lines = (values: [string, unknown][]) =>
    values.map(([before, value]) => `    ${before}${JSON.stringify(value)}`).join(',\n');
  const stateLines = lines(Object.entries(states).map(([path, at]) => [`"${path}": `, at]));
  const edgeLines = lines(edges.map((edge) => ['', edge]));
  return `{\n  "width": ${size.width},\n  "height": ${size.height},\n  "states": {\n${stateLines}\n  },\n  "edges": [\n${edgeLines}\n  ]\n}\n`;
};

/** `around`: the state that both ends lie right in. */
type Arrow = { around: string; source: string; target: string; events: string[] };

const round = (value: number): number => Math.round(value);

function elkNode(state: ChartState, arrows: readonly Arrow[]): ElkNode {
  const children = Object.values(state.states).filter(({ type }) => type !== 'history');
  const name = state.path.split('.').at(-1)!;
  const isRoot = state.path === '';
  const flow = isRoot || state.type === 'parallel' ? 'RIGHT' : 'DOWN';
  return {
    id: state.path,
    ...(children.length === 0
      ? { width: Math.round(Math.max(76, 30 + 7.6 * name.length)), height: 36 }
      : { children: children.map((child) => elkNode(child, arrows)) }),
    edges: arrows.flatMap((arrow, at) => (arrow.around === state.path ? [elkEdge(arrow, at)] : [])),
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': isRegion(state) ? 'RIGHT' : flow,
      'elk.edgeRouting': 'ORTHOGONAL',
      'elk.padding': isRoot
        ? '[top=14,left=14,bottom=14,right=14]'
        : '[top=40,left=14,bottom=14,right=14]',
      'elk.spacing.nodeNode': isRoot ? '28' : '14',
      'elk.spacing.edgeNode': '14',
      'elk.spacing.edgeEdge': '10',
      'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
      'elk.spacing.edgeLabel': '3',
      'elk.layered.spacing.nodeNodeBetweenLayers': isRoot ? '14' : '26',
      'elk.layered.spacing.edgeNodeBetweenLayers': '12',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
    },
  };
}

/** A small state of a parallel one: it runs, then it is done. */
const isRegion = ({ states }: ChartState): boolean =>
  Object.values(states).some(({ type }) => type === 'final') && Object.keys(states).length === 2;

function elkEdge({ around, source, target, events }: Arrow, at: number): ElkExtendedEdge {
  // Within a state the way is short, and one of few.
  const text = around === '' ? arrowLabel(events) : '';
  return {
    id: String(at),
    sources: [source],
    targets: [target],
    labels: text === '' ? [] : [{ text, width: Math.round(5.6 * text.length), height: 16 }],
  };
}

const arrowLabel = (events: readonly string[]): string =>
  events.length > 1 ? `${events[0]} +${events.length - 1}` : (events[0] ?? '');

function placed(edge: ElkExtendedEdge, arrow: Arrow, left: number, above: number) {
  const section = edge.sections![0]!;
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
  const label = edge.labels?.[0];
  const { source, target, events } = arrow;
  return {
    source,
    target,
    events,
    points: points.map(({ x, y }) => ({ x: round(left + x), y: round(above + y) })),
    label:
      label === undefined
        ? null
        : {
            text: label.text!,
            x: round(left + label.x! + label.width! / 2),
            y: round(above + label.y! + label.height! / 2),
          },
  };
}

/**
 * The transitions that move, as few arrows as say the same: each between the two states that lie side by
 * side and hold its ends (the log names the ends themselves); what goes the same way is one arrow.
 */
function arrowsOf(chart: ChartState): Arrow[] {
  const arrows = new Map<string, Arrow>();
  const collect = (state: ChartState): void => {
    for (const { event, target } of state.transitions) {
      const arrow = target === null ? undefined : sideBySide(state.path, target);
      if (arrow === undefined) continue;
      const key = `${arrow.source} ${arrow.target}`;
      const known = arrows.get(key) ?? { ...arrow, events: [] };
      if (event !== null && !known.events.includes(event)) known.events.push(event);
      arrows.set(key, known);
    }
    for (const child of Object.values(state.states)) collect(child);
  };
  collect(chart);
  return [...arrows.values()];
}

/** Undefined when one holds the other: nothing is left then. */
function sideBySide(from: string, to: string): Omit<Arrow, 'events'> | undefined {
  const [a, b] = [from.split('.'), to.split('.')];
  const at = a.findIndex((name, index) => name !== b[index]);
  if (at === -1 || at >= b.length) return undefined;
  const upTo = (path: string[]) => path.slice(0, at + 1).join('.');
  return { around: a.slice(0, at).join('.'), source: upTo(a), target: upTo(b) };
}

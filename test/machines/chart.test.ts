import { Window } from 'happy-dom';
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { stages } from '../../events/facts/recording.ts';
import { type ChartState, chartJson } from '../../machines/chart.ts';
import { chartMermaid } from '../support/mermaid-chart.ts';
import { recordingFactTypes } from '../support/plausible-events.ts';
import { layOut, layoutText } from './chart-layout.ts';
import { replaceChart } from '../support/statechart-page.ts';

const everyState = (state: ChartState): ChartState[] => [
  state,
  ...Object.values(state.states).flatMap(everyState),
];

describe('the statechart as JSON', () => {
  const chart = chartJson();
  const states = everyState(chart);

  test('has exactly the five top-level states', () => {
    assert.deepEqual(
      [Object.keys(chart.states), chart.initial, chart.version],
      [['idle', 'recording', 'transcribing', 'awaiting-speakers', 'error'], 'idle', 1],
    );
  });

  test('names every stage as what a state invokes, those twice that names make run again, and every fact', () => {
    const invoked = states.flatMap(({ activities }) => activities);
    assert.deepEqual(invoked.toSorted(), [...stages, 'entitle', 'summarise'].sort());
    const events = new Set(states.flatMap(({ transitions }) => transitions.map((t) => t.event)));
    assert.deepEqual(
      [...events].filter((event) => event !== null).sort(),
      recordingFactTypes.toSorted(),
    );
  });

  test('leads nowhere but to its own states, and every condition has words', () => {
    const paths = new Set(states.map(({ path }) => path));
    for (const { transitions } of states) {
      for (const { target, guard, condition } of transitions) {
        assert.ok(target === null || paths.has(target), `${target}`);
        assert.equal(guard === null, condition === null);
        assert.notEqual(condition, '');
      }
    }
  });

  test('carries the layout of these states and no others (npm run chart)', async () => {
    const file = new URL('../../machines/chart-layout.json', import.meta.url);
    assert.equal(await readFile(file, 'utf8'), layoutText(await layOut(chart)));
    const drawn = states.filter(({ path, type }) => path !== '' && type !== 'history');
    assert.deepEqual(
      Object.keys(chart.layout.states).toSorted(),
      drawn.map(({ path }) => path).toSorted(),
    );
  });

  test('is JSON', () => assert.deepEqual(JSON.parse(JSON.stringify(chart)), chart));

  test('tells parallel, final and history states, what they begin with and when they are done', () => {
    const { transcribing, idle } = chart.states;
    const { attributing, finishing, resume } = transcribing!.states;
    assert.deepEqual([attributing!.type, attributing!.initial], ['parallel', null]);
    assert.deepEqual([transcribing!.type, transcribing!.initial], ['compound', 'recognising']);
    assert.deepEqual([idle!.states.erased!.type, resume!.type], ['final', 'history']);
    assert.deepEqual(finishing!.transitions, [
      { event: null, target: 'transcribing.entitling', guard: null, condition: null },
    ]);
  });
});

describe('the statechart as a Mermaid picture', () => {
  const picture = chartMermaid();
  type Parser = (text: string) => Promise<unknown>;
  let parse: Parser;

  before(async () => {
    // Mermaid looks for a document when it is loaded.
    const window = new Window();
    Object.assign(globalThis, { window, document: window.document });
    const { default: mermaid } = await import('mermaid');
    parse = (text) => mermaid.parse(text);
  });

  test('is understood by Mermaid, which does not understand just anything', async () => {
    assert.deepEqual(await parse(picture), { diagramType: 'stateDiagram', config: {} });
    await assert.rejects(parse(`${picture}\n  state "open" {`));
  });

  test('has every state, every fact and every condition of a fact that is drawn', () => {
    for (const { path, states } of everyState(chartJson())) {
      if (path === '') continue;
      const key = path.split('.').at(-1)!;
      const id = path.replaceAll(/[.-]/g, '_');
      const open = Object.keys(states).length > 0 ? ' {' : '';
      const label = key === 'resume' ? 'resume (as it was left)' : key;
      assert.ok(picture.includes(`state "${label}" as ${id}${open}\n`), path);
    }
    for (const type of recordingFactTypes) assert.ok(picture.includes(type), type);
    for (const stage of stages) assert.ok(picture.includes(`▶ ${stage}`), stage);
    assert.match(picture, /speakers\.named \[all labels known\]/);
    assert.match(picture, /transcribing_finishing --> transcribing_entitling : both done/);
    assert.doesNotMatch(picture, /xstate|undefined|\[object/);
  });

  test('stands in machines/statechart.md as it is now', async () => {
    const page = await readFile(new URL('../../machines/statechart.md', import.meta.url), 'utf8');
    assert.equal(page, replaceChart(page), 'the picture is stale: npm run chart');
  });

  test('is put between the markers and nowhere else', () => {
    const text = 'a\n<!-- statechart -->\nold\n<!-- /statechart -->\nb\n';
    const replaced = replaceChart(text);
    assert.ok(replaced.startsWith('a\n<!-- statechart -->\n\n```mermaid\nstateDiagram-v2\n'));
    assert.ok(replaced.endsWith('```\n\n<!-- /statechart -->\nb\n'));
    assert.doesNotMatch(replaced, /^old$/mu);
    assert.equal(replaceChart(replaced), replaced);
    assert.throws(() => replaceChart('no markers'), /markers/);
  });
});

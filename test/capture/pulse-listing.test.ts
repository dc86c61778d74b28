import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  parseModules,
  parseSinkInputs,
  parseSourceOutputs,
  parseSources,
} from '../../src/capture/pulse/pulse.ts';

test('sources are microphones, or monitors of a sink', () => {
  const listing = [
    'Source #0',
    '\tState: RUNNING',
    '\tName: alsa_input.usb',
    '\tDescription: Größe 漢 "q": 2.0',
    '\tMonitor of Sink: n/a',
    '\tProperties:',
    '\t\tdevice.description = "Other"',
    '\t\tName: not a field',
    '',
    'Source #7',
    '\tName: out.monitor',
    '\tDescription: Monitor of Out',
    '\tMonitor of Sink: out',
    '',
  ].join('\n');
  assert.deepEqual(parseSources(listing), [
    { index: 0, name: 'alsa_input.usb', description: 'Größe 漢 "q": 2.0', monitorOf: null },
    { index: 7, name: 'out.monitor', description: 'Monitor of Out', monitorOf: 'out' },
  ]);
});

test('a source output tells its source, its process and its program; a module has none', () => {
  const listing =
    'Source Output #7\n\tClient: 4\n\tSource: 2\n\tCorked: yes\n\tProperties:\n\t\tapplication.process.id = "123"\n' +
    '\t\tapplication.name = "Firefox"\n\t\tapplication.process.binary = "firefox-bin"\n\n' +
    'Source Output #8\n\tClient: n/a\n\tSource: 3\n\tCorked: no\n\tProperties:\n\t\tmedia.name = "Loopback"\n';
  const program = { id: 'firefox-bin', name: 'Firefox' };
  assert.deepEqual(parseSourceOutputs(listing), [
    { index: 7, source: 2, processId: 123, program, isPaused: true },
    { index: 8, source: 3, processId: null, program: null, isPaused: false },
  ]);
});

test('what a program plays tells its sink', () => {
  const listing =
    'Sink Input #3\n\tClient: 4\n\tSink: 1\n\tCorked: no\n\tProperties:\n\t\tapplication.name = "Phone"\n';
  const program = { id: 'Phone', name: 'Phone' };
  assert.deepEqual(parseSinkInputs(listing), [
    { index: 3, sink: 1, processId: null, program, isPaused: false },
  ]);
});

test('modules are lines with tabs; arguments of PipeWire’s own that span lines are not', () => {
  const listing =
    '1\tlibpipewire-module-rt\t{\n            nice.level = -11\n        }\t\n' +
    '536870913\tmodule-null-sink\tsink_name=a sink_properties=device.description=b\t\n';
  assert.deepEqual(parseModules(listing), [
    {
      index: 536_870_913,
      name: 'module-null-sink',
      args: 'sink_name=a sink_properties=device.description=b',
    },
  ]);
});

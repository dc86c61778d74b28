import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alsaConfig, combinedDevice } from '../../src/capture/device/alsa-config.ts';
import { fc } from '../support/properties.ts';

const names = (...descriptions: string[]) => [
  ...alsaConfig(
    descriptions.map((description, index) => ({ name: `source_${index}`, description })),
    null,
  ).sources.keys(),
];

test('the system’s configuration comes first, then a PCM a source', () => {
  const { text, sources } = alsaConfig(
    [{ name: 'alsa_input.usb', description: 'Büro 麦克风 😀' }],
    null,
  );
  assert.equal(
    text,
    '</usr/share/alsa/alsa.conf>\n' +
      'pcm."Büro 麦克风 😀" { type pulse device "alsa_input.usb" ' +
      'hint { show on description "Büro 麦克风 😀" } }\n',
  );
  assert.deepEqual([...sources], [['Büro 麦克风 😀', 'alsa_input.usb']]);
});

test('dots and colons, which make a PCM invisible, are replaced', () => {
  assert.deepEqual(names('USB 2.0 Camera', 'Monitor of X: Analog'), [
    'USB 2-0 Camera',
    'Monitor of X- Analog',
  ]);
});

test('equal and reserved names get a part of their own instead of hiding each other', () => {
  assert.deepEqual(names('Mic', 'Mic', 'default', 'HW', combinedDevice, '', 'Mic (25fb5f)'), [
    'Mic (25fb5f)',
    'Mic (8a51fe)',
    'default (9bb4d1)',
    'HW (c8b5e4)',
    `${combinedDevice} (3bb94a)`,
    'source_5',
    'Mic (25fb5f) (94aa40)',
  ]);
});

test('the combined sink’s monitor has the name that is stored in audio.device', () => {
  const { sources } = alsaConfig(
    [
      { name: 'mitschrift_combined_ab.monitor', description: 'Monitor of mitschrift-combined' },
      { name: 'other', description: combinedDevice },
    ],
    'mitschrift_combined_ab.monitor',
  );
  assert.deepEqual(
    [...sources],
    [
      [combinedDevice, 'mitschrift_combined_ab.monitor'],
      [`${combinedDevice} (d9298a)`, 'other'],
    ],
  );
});

test('the same sources have the same names in whatever order they are listed', () => {
  const source = fc.record({ name: fc.uuid(), description: fc.string({ unit: 'binary' }) });
  fc.assert(
    fc.property(fc.uniqueArray(source, { selector: ({ name }) => name }), (sources) => {
      const config = alsaConfig(sources, null);
      assert.equal(config.text, alsaConfig(sources.toReversed(), null).text);
      assert.equal(config.sources.size, sources.length);
      // Nothing a description holds ends its line or its quotes.
      const lines = config.text.trimEnd().split('\n').slice(1);
      assert.equal(lines.length, sources.length);
      for (const line of lines) {
        assert.match(line, /^pcm\."(\\.|[^"\\])*" \{ type pulse device "(\\.|[^"\\])*" hint \{/);
      }
    }),
  );
});

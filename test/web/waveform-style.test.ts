import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Window } from 'happy-dom';
import { waveformStyle } from '../../src/http/middleware/security.ts';
import { waveformHeight } from '../../web/pages/recording/waveform.ts';

test('the Content-Security-Policy allows the very style sheet that wavesurfer.js makes', async () => {
  const window = new Window();
  Object.assign(globalThis, { window, document: window.document });
  for (const name of [
    'HTMLElement',
    'HTMLMediaElement',
    'getComputedStyle',
    'Audio',
    'Node',
  ] as const) {
    Object.assign(globalThis, { [name]: window[name] });
  }
  const { default: WaveSurfer } = await import('wavesurfer.js');
  const container = window.document.createElement('div');
  window.document.body.append(container);
  const waveform = WaveSurfer.create({
    container: container as never,
    media: window.document.createElement('audio') as never,
    height: waveformHeight,
  });
  const style = container.firstElementChild?.shadowRoot?.querySelector('style')?.textContent ?? '';
  assert.match(style, /:host \.wrapper/);
  const hash = createHash('sha256').update(style).digest('base64');
  assert.equal(waveformStyle, `'sha256-${hash}'`);
  waveform.destroy();
  await window.happyDOM.close();
});

/**
 * The same against PipeWire, which speaks PulseAudio's protocol: names, both voices together and their
 * words. What compares sample by sample is in `npm run test:long`: on a busy machine half a second was once
 * not as played, probably cycles that PipeWire, here without real-time priority, left out.
 */
import process from 'node:process';

process.env['MITSCHRIFT_AUDIO_SERVER'] = 'pipewire';
await import('./devices.test.ts');
await import('../e2e/combined-recording.test.ts');
if (process.env['MITSCHRIFT_LONG'] === '1') {
  await import('./combined-source.test.ts');
  await import('./recording.test.ts');
  await import('./kills.test.ts');
  await import('./stopped.test.ts');
}

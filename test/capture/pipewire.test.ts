/**
 * The same against PipeWire, which speaks PulseAudio's protocol: names, both voices together, what is
 * lost when something dies.
 */
import process from 'node:process';

process.env['MITSCHRIFT_AUDIO_SERVER'] = 'pipewire';
await import('./combined-source.test.ts');
await import('./recording.test.ts');
await import('./devices.test.ts');
await import('./kills.test.ts');
await import('./stopped.test.ts');
await import('../e2e/combined-recording.test.ts');

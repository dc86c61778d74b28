import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { open, readFile, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { decodeToSpeech } from '../../src/audio/decode.ts';
import { openSpeechFile } from '../../src/audio/speech-file.ts';
import { StageError } from '../../src/shared/errors.ts';
import { folderFor, make, speak } from '../support/espeak.ts';
import { fc } from '../support/properties.ts';
import { times } from '../support/seeded.ts';

const signal = new AbortController().signal;
const failsWith =
  (code: string, retriable = false) =>
  (error: unknown) =>
    error instanceof StageError && error.code === code && error.retriable === retriable;

/** Two seconds of a 440 Hz tone as sox writes it. */
async function tone(
  t: TestContext,
  ...format: string[]
): Promise<{ folder: string; path: string }> {
  const folder = await folderFor(t);
  const path = join(folder, 'in.wav');
  await make('sox', '-n', ...format, path, 'synth', '2', 'sine', '440', 'gain', '-6');
  return { folder, path };
}

/** Decodes and measures: length, strongest frequency near 440 Hz, peak from 0 to 1. */
async function decoded(path: string, folder: string) {
  const target = join(folder, 'speech.wav');
  const result = await decodeToSpeech(path, target, { signal });
  const audio = await openSpeechFile(target);
  const pcm = await audio.read(0, audio.duration);
  await audio.close();
  let crossings = 0;
  for (let i = 1; i < pcm.length; i += 1) crossings += Number(pcm[i - 1]! < 0 && pcm[i]! >= 0);
  const peak = pcm.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0) / 32_767;
  return { ...result, pcm, peak, hertz: crossings / result.duration };
}

const wavKinds: [string, string[]][] = [
  ['16 bit 44.1 kHz stereo', ['-r', '44100', '-c', '2', '-b', '16']],
  ['8 bit 8 kHz', ['-r', '8000', '-c', '1', '-b', '8', '-e', 'unsigned']],
  ['24 bit 192 kHz, 8 channels', ['-r', '192000', '-c', '8', '-b', '24']],
  ['32 bit 11 025 Hz', ['-r', '11025', '-c', '1', '-b', '32']],
  ['32 bit 768 kHz', ['-r', '768000', '-c', '1', '-b', '32']],
  ['float 48 kHz', ['-r', '48000', '-c', '2', '-e', 'float', '-b', '32']],
  ['double 16 kHz', ['-r', '16000', '-c', '1', '-e', 'float', '-b', '64']],
  ['big endian (RIFX)', ['-r', '22050', '-c', '1', '-b', '16', '-B']],
];
for (const [name, format] of wavKinds)
  test(`a WAV file of ${name} becomes 16 kHz mono of the same length and pitch`, async (t) => {
    const { folder, path } = await tone(t, ...format);
    const result = await decoded(path, folder);
    assert.equal(result.decoder, 'wav');
    assert.equal(result.samples, 32_000);
    assert.ok(Math.abs(result.hertz - 440) < 1, `${result.hertz} Hz`);
    assert.ok(Math.abs(result.peak - 0.5) < 0.02, `peak ${result.peak}`);
    assert.deepEqual(result.warnings, []);
  });

const others: [string, string[]][] = [
  ['mp3', []],
  ['m4a', []],
  ['ogg', ['-c:a', 'libopus', '-ar', '48000']],
  ['webm', ['-c:a', 'libopus', '-ar', '48000']],
  ['flac', []],
  ['mp4', ['-f', 'lavfi', '-i', 'color=black:s=64x64:d=2', '-shortest']],
];
for (const [extension, options] of others)
  test(`ffmpeg reads .${extension}`, async (t) => {
    const { folder, path } = await tone(t, '-r', '44100', '-c', '2');
    const file = join(folder, `in.${extension}`);
    await make('ffmpeg', '-i', path, ...options, file);
    const result = await decoded(file, folder);
    assert.equal(result.decoder, 'ffmpeg');
    assert.ok(Math.abs(result.duration - 2) < 0.1, `${result.duration} s`);
    assert.ok(Math.abs(result.hertz - 440) < 5, `${result.hertz} Hz`);
    assert.ok(
      Math.abs(result.peak - 0.5) < 0.05,
      `two channels are as loud as in WAV: ${result.peak}`,
    );
    assert.deepEqual(result.warnings, []);
  });

test('a song called “Truncated” is not truncated', async (t) => {
  const { folder, path } = await tone(t, '-r', '44100', '-c', '1');
  const mp3 = join(folder, 'Corrupt.mp3');
  const title = 'title=Truncated: moov atom not found, Error while decoding';
  await make('ffmpeg', '-i', path, '-metadata', title, mp3);
  assert.deepEqual((await decoded(mp3, folder)).warnings, []);
});

test('whatever a WAV header says, there is audio or a sentence', async (t) => {
  const { folder, path } = await tone(t, '-r', '16000', '-c', '1', '-b', '16');
  const wav = (await readFile(path)).subarray(0, 8000);
  const change = fc.tuple(fc.integer({ min: 12, max: 47 }), fc.integer({ min: 0, max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = Buffer.from(wav);
      for (const [at, value] of changes) bytes[at] = value;
      await writeFile(path, bytes);
      try {
        const { samples } = await decodeToSpeech(path, join(folder, 'speech.wav'), { signal });
        assert.ok(samples > 0 && samples <= 8000 * 16);
      } catch (error) {
        assert.ok(error instanceof StageError, String(error));
        assert.equal(error.retriable, false);
      }
    }),
    { numRuns: times({ short: 40, long: 400 }) },
  );
});

test('a telephone’s amr-like narrow band (A-law WAV) goes through ffmpeg too', async (t) => {
  const { folder, path } = await tone(t, '-r', '8000', '-c', '1', '-e', 'a-law');
  const result = await decoded(path, folder);
  assert.equal(result.decoder, 'ffmpeg');
  assert.ok(Math.abs(result.hertz - 440) < 5);
});

test('chunks of any size before and after the samples are stepped over', async (t) => {
  const { folder, path } = await tone(t, '-r', '16000', '-c', '1', '-b', '16');
  const wav = await readFile(path);
  const chunk = (id: string, bytes: number) => {
    const head = Buffer.alloc(8 + bytes + (bytes % 2), 0x2e);
    head.write(id, 0, 'latin1');
    head.writeUInt32LE(bytes, 4);
    return head;
  };
  const parts = [
    wav.subarray(0, 12),
    chunk('JUNK', 5_000_001),
    wav.subarray(12),
    chunk('LIST', 33),
  ];
  await writeFile(path, Buffer.concat(parts));
  const result = await decoded(path, folder);
  assert.equal(result.samples, 32_000);
  assert.ok(Math.abs(result.peak - 0.5) < 0.02, 'no chunk was taken for audio');
  assert.deepEqual(result.warnings, []);
});

const sizeAt = 40;
async function plainTone(t: TestContext) {
  const made = await tone(t, '-r', '16000', '-c', '1', '-b', '16');
  assert.equal((await readFile(made.path)).toString('latin1', 36, 40), 'data');
  return made;
}
async function patch(path: string, dataSize: number): Promise<void> {
  const file = await open(path, 'r+');
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(dataSize);
  await file.write(bytes, 0, 4, sizeAt);
  await file.close();
}
for (const [name, size] of [
  ['0', 0],
  ['0xFFFFFFFF', 0xff_ff_ff_ff],
  ['0x7FFFF000, as sox on a pipe', 0x7f_ff_f0_00],
  ['2 GiB, as arecord', 0x80_00_00_00],
  ['less than there is', 1000],
] as const)
  test(`a header that says ${name} is corrected from the file’s length, and that is said`, async (t) => {
    const { folder, path } = await plainTone(t);
    await patch(path, size);
    const result = await decoded(path, folder);
    assert.equal(result.samples, 32_000);
    assert.deepEqual(result.warnings, ['header-repaired']);
  });

test('of a truncated WAV file what is there is used, whole frames only, and that is said', async (t) => {
  const { folder, path } = await tone(t, '-r', '16000', '-c', '2', '-b', '16');
  const { size } = await stat(path);
  await truncate(path, size - 64_001);
  const result = await decoded(path, folder);
  assert.equal(result.samples, 32_000 - 16_001);
  assert.deepEqual(result.warnings, ['truncated']);
});

test('a header that promises gigabytes which are not there is a truncated one, also where it has 64 bits', async (t) => {
  const { folder, path } = await plainTone(t);
  await patch(path, 3_000_000_000);
  assert.deepEqual((await decoded(path, folder)).warnings, ['truncated']);
  const long = join(folder, 'long.wav');
  await make('ffmpeg', '-i', path, '-rf64', 'always', long);
  const file = await open(long, 'r+');
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(5_000_000_000n);
  await file.write(size, 0, 8, 28);
  await file.close();
  assert.deepEqual((await decoded(long, folder)).warnings, ['truncated']);
});

test('of a truncated mp3 what is there is used, and that is said', async (t) => {
  const { folder, path } = await tone(t, '-r', '44100', '-c', '1');
  const mp3 = join(folder, 'in.mp3');
  await make('ffmpeg', '-i', path, mp3);
  await truncate(mp3, Math.floor((await stat(mp3)).size / 4));
  const result = await decoded(mp3, folder);
  assert.ok(result.duration > 0.3 && result.duration < 0.7, `${result.duration}`);
  assert.ok(result.warnings.includes('truncated'));
});

test('very quiet speech is made louder in the working copy; the source stays as it is', async (t) => {
  const folder = await folderFor(t);
  const [loud, quiet] = [join(folder, 'loud.wav'), join(folder, 'quiet.wav')];
  await speak('can you hear me clearly or is the sound too low', loud);
  await make('sox', '-v', '0.005', loud, '-b', '24', quiet);
  const before = createHash('sha256')
    .update(await readFile(quiet))
    .digest('hex');
  const result = await decoded(quiet, folder);
  assert.deepEqual(result.warnings, ['quiet']);
  assert.ok(result.peak > 0.2 && result.peak <= 1, `peak ${result.peak}`);
  assert.equal(
    createHash('sha256')
      .update(await readFile(quiet))
      .digest('hex'),
    before,
  );
});

test('one click does not pass for a loud voice', async (t) => {
  const { folder, path } = await tone(t, '-r', '16000', '-c', '1', '-b', '16');
  const quiet = join(folder, 'quiet.wav');
  await make('sox', path, quiet, 'gain', '-40');
  const bytes = await readFile(quiet);
  bytes.writeInt16LE(32_000, bytes.length - 2000);
  await writeFile(quiet, bytes);
  assert.ok((await decoded(quiet, folder)).warnings.includes('quiet'));
});

test('silence is said and not amplified', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, 'in.wav');
  await make('sox', '-n', '-r', '16000', '-c', '1', '-b', '16', path, 'trim', '0', '1');
  const result = await decoded(path, folder);
  assert.deepEqual(result.warnings, ['silent']);
  assert.ok(result.peak < 0.001);
});

test('what is no audio is refused with a reason, and leaves no file behind', async (t) => {
  const folder = await folderFor(t);
  const write = async (name: string, content: Buffer | string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(20)]);
  const cases: [string, string][] = [
    [await write('empty.wav', ''), 'audio-empty'],
    [await write('text.mp3', 'no audio at all, '.repeat(500)), 'not-audio'],
    [await write('head.wav', wav), 'audio-damaged'],
    [
      await write('list.mp3', '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:3,\nhead.wav\n'),
      'unsupported-media',
    ],
  ];
  for (const [path, code] of cases)
    await assert.rejects(
      decodeToSpeech(path, join(folder, 'speech'), { signal }),
      failsWith(code),
      `${path} → ${code}`,
    );
  assert.deepEqual((await readdir(folder)).sort(), [
    'empty.wav',
    'head.wav',
    'list.mp3',
    'text.mp3',
  ]);
});

test('a video without sound, a film without its index and a protected file are told apart', async (t) => {
  const { folder, path } = await tone(t, '-r', '44100', '-c', '1');
  const at = (name: string) => join(folder, name);
  await make('ffmpeg', '-f', 'lavfi', '-i', 'color=black:s=64x64:d=1', '-an', at('mute.mp4'));
  await make('ffmpeg', '-i', path, at('whole.m4a'));
  await truncate(at('whole.m4a'), 9000);
  const key = '00112233445566778899aabbccddeeff';
  const encryption = ['-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', key];
  await make('ffmpeg', '-i', path, ...encryption, '-encryption_kid', key, at('protected.m4a'));
  const cases = {
    'mute.mp4': 'no-audio-track',
    'whole.m4a': 'audio-damaged',
    'protected.m4a': 'audio-encrypted',
  };
  for (const [name, code] of Object.entries(cases))
    await assert.rejects(decodeToSpeech(at(name), at('out'), { signal }), failsWith(code), name);
});

/** Process ids of this process' children that run a program. */
function childrenCalled(program: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return (
        stat.includes(`(${program})`) && stat.split(') ')[1]?.split(' ')[1] === String(process.pid)
      );
    } catch {
      return false; // it just ended
    }
  });
}

test('cancelling ends ffmpeg and leaves no file behind', async (t) => {
  const folder = await folderFor(t);
  const source = join(folder, 'long.flac');
  await make('sox', '-n', '-r', '8000', '-c', '1', source, 'synth', '120', 'sine', '100');
  const control = new AbortController();
  let running: string[] = [];
  const work = decodeToSpeech(source, join(folder, 'speech.wav'), {
    signal: control.signal,
    onProgress: () => {
      if (!control.signal.aborted) running = childrenCalled('ffmpeg');
      control.abort();
    },
  });
  await assert.rejects(work, { name: 'AbortError' });
  assert.deepEqual(await readdir(folder), ['long.flac']);
  assert.equal(running.length, 1);
  assert.deepEqual(childrenCalled('ffmpeg'), []);
});

test('progress rises to the end', async (t) => {
  const folder = await folderFor(t);
  const source = join(folder, 'long.wav');
  await make('sox', '-n', '-r', '16000', '-c', '1', source, 'synth', '60', 'sine', '100');
  const seen: (number | null)[] = [];
  await decodeToSpeech(source, join(folder, 'speech.wav'), {
    signal,
    onProgress: (f) => seen.push(f),
  });
  assert.equal(seen.length, 5);
  assert.deepEqual(seen, [...seen].sort());
  assert.ok(seen.every((fraction) => fraction !== null && fraction > 0 && fraction <= 1));
});

test('memory does not grow with the length of the audio', async (t) => {
  const folder = await folderFor(t);
  const source = join(folder, 'hour.wav');
  // A sparse file: ten hours of 48 kHz stereo silence would be 7 GB. Of eight channels some minutes are
  // 166 MB, and most of the work is done by the second.
  const long = Boolean(process.env['MITSCHRIFT_LONG']);
  const { hours, channels } = long ? { hours: 10, channels: 2 } : { hours: 0.06, channels: 8 };
  const format = ['-r', '48000', '-c', String(channels), '-b', '16', '-t', 'wavpcm'];
  await make('sox', '-n', ...format, source, 'trim', '0', '1');
  const file = await open(source, 'r+');
  await file.truncate(44 + hours * 3600 * 48_000 * 2 * channels);
  await file.close();
  const before = process.memoryUsage().rss;
  let most = 0;
  const result = await decodeToSpeech(source, join(folder, 'speech.wav'), {
    signal,
    onProgress: () => (most = Math.max(most, process.memoryUsage().rss - before)),
  });
  assert.equal(Math.round(result.duration), hours * 3600);
  assert.ok(most < 100e6, `${Math.round(most / 1e6)} MB more`);
});

for (const [name, convert] of [
  ['WAV', async (from: string) => from],
  ['FLAC', (from: string, folder: string) => converted(from, join(folder, 'in.flac'))],
  ['MP3', (from: string, folder: string) => converted(from, join(folder, 'in.mp3'))],
] as const)
  test(`of ${name} whose channels are inverted one is taken, and that is said`, async (t) => {
    const { folder, path } = await tone(t, '-r', '44100', '-c', '1');
    const inverted = join(folder, 'inverted.wav');
    await make('sox', '-M', path, '-v', '-1', path, inverted);
    const result = await decoded(await convert(inverted, folder), folder);
    assert.deepEqual(result.warnings, ['one-channel']);
    assert.ok(Math.abs(result.hertz - 440) < 5, `${result.hertz} Hz`);
    assert.ok(Math.abs(result.peak - 0.5) < 0.05, `peak ${result.peak}`);
  });

test('a quiet recording on one side only is made louder, not taken for an inverted one', async (t) => {
  const { folder, path } = await tone(t, '-r', '16000', '-c', '1');
  const left = join(folder, 'left.wav');
  await make('sox', path, left, 'gain', '-40', 'remix', '1', '0');
  assert.deepEqual((await decoded(left, folder)).warnings, ['quiet']);
});

test('each sound track of a file can be decoded', async (t) => {
  const { folder, path } = await tone(t, '-r', '44100', '-c', '1');
  const [silence, both] = [join(folder, 'silence.wav'), join(folder, 'both.mkv')];
  await make('sox', '-n', '-r', '44100', '-c', '2', silence, 'trim', '0', '2');
  await make('ffmpeg', '-i', silence, '-i', path, '-map', '0', '-map', '1', both);
  const target = join(folder, 'speech.wav');
  const first = await decodeToSpeech(both, target, { signal });
  assert.deepEqual([first.tracks, first.warnings], [2, ['silent']]);
  const second = await decodeToSpeech(both, target, { signal, track: 1 });
  assert.deepEqual([second.tracks, second.warnings], [2, []]);
});

test('what was read whole is not called damaged; what is damaged, is', async (t) => {
  const { folder, path } = await tone(t, '-r', '44100', '-c', '2');
  const mp3 = await readFile(await converted(path, join(folder, 'in.mp3')));
  const joined = join(folder, 'joined.mp3');
  await writeFile(joined, Buffer.concat([mp3, mp3, mp3]));
  const whole = await decoded(joined, folder);
  assert.deepEqual(whole.warnings, []);
  assert.ok(whole.duration > 5.9, `${whole.duration} s`);
  // The last block of a GSM file is seldom full.
  const gsm = join(folder, 'in.gsm.wav');
  await make(
    'sox',
    '-n',
    '-r',
    '8000',
    '-c',
    '1',
    '-e',
    'gsm-full-rate',
    gsm,
    'synth',
    '2.5',
    'sine',
    '440',
  );
  assert.deepEqual((await decoded(gsm, folder)).warnings, []);
  const hole = join(folder, 'hole.mp3');
  await writeFile(hole, Buffer.from(mp3).fill(0, 10_000, 18_000));
  assert.ok((await decoded(hole, folder)).warnings.includes('damaged'));
});

async function converted(from: string, to: string): Promise<string> {
  await make('ffmpeg', '-i', from, to);
  return to;
}

// PortAudio alone: from starting a process to the first 100 ms of a device in a file. JavaScript, so that
// it needs no loader, as the compiled service does not.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [device, path] = process.argv.slice(2);
const native = createRequire(import.meta.url)('naudiodon/build/Release/naudiodon.node');
const { id } = native.getDevices().find(({ name }) => name === device);
const stream = native.create({
  inOptions: {
    deviceId: id,
    sampleRate: 16_000,
    channelCount: 2,
    sampleFormat: 16,
    framesPerBuffer: 160,
    maxQueue: 500,
    closeOnError: false,
  },
});
stream.start();
const { buf } = await stream.read(6400);
writeFileSync(path, buf);
console.log('heard');
process.exit();

import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { wav, type TestService } from './http-client.ts';
import { eventually } from './eventually.ts';

/** An upload of which a part has arrived; `finish` sends the rest and resolves with the status. */
export async function slowUpload(service: TestService, token: string) {
  const boundary = 'x'.repeat(20);
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="talk.wav"\r\n\r\n`;
  const audio = wav();
  const upload = request(`${service.url}/recordings`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    upload.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    upload.on('error', reject);
  });
  upload.write(head);
  await new Promise<void>((resolve) => upload.write(audio.subarray(0, 100), () => resolve()));
  // The upload has begun when its folder is there.
  await eventually('the upload begins', async () => (await uploadsIn(service)) > 0);
  return {
    finish(): Promise<number> {
      upload.end(Buffer.concat([audio.subarray(100), Buffer.from(`\r\n--${boundary}--\r\n`)]));
      return answered;
    },
  };
}

const uploadsIn = async ({ dataDir }: TestService): Promise<number> =>
  (await readdir(join(dataDir, 'uploads')).catch(() => [])).length;

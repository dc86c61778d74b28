import type { Settings } from '../config/schema.ts';
import { commandLine } from '../shared/command-line.ts';
import { diarizerInstalled } from '../speech/diarization/diarize.ts';
import { type LookedAt, type Look, asLimited, asOk } from './check.ts';
import { guideLink } from './guide.ts';

/** What waits of the voices of profiles; see `GET /speakers/profiles`. */
export type VoicesBehind = { waiting: number; without_audio: number; given_up: number };

export type SpeakerParts = {
  settings: Settings;
  modelsDir: readonly string[];
  /** Of all users; missing while no service runs. */
  voices?: () => Promise<VoicesBehind>;
};

const lookMs = 10_000;
/** What it needs beside it comes with it. */
const modelId = 'pyannote-segmentation-3';

/** Whether the speakers of a meeting are told apart, and what is behind of their voices. */
export const speakerLook = (parts: SpeakerParts): Look => ({
  id: 'speakers',
  title: 'Speakers of meetings',
  link: guideLink('speech', 'A local model'),
  limitMs: lookMs,
  look: () => speakers(parts),
});

async function speakers({ settings, modelsDir, voices }: SpeakerParts): Promise<LookedAt> {
  if (!(await diarizerInstalled(modelsDir))) {
    const detail =
      settings['stt.base_url'] === null
        ? 'They are not told apart: a meeting is written down as of one speaker.'
        : 'They are told apart only where the speech-to-text server does that.';
    return asLimited(detail, {
      text: 'Install a model that tells speakers apart.',
      command: commandLine(`models install ${modelId}`),
      request: { method: 'POST', path: `/models/${modelId}/install` },
    });
  }
  const told = 'They are told apart.';
  const behind = settings['speakers.profiles'] ? await voices?.() : undefined;
  if (!behind || behind.waiting === 0) return asOk(told);
  const { waiting, without_audio: silent, given_up: failed } = behind;
  const measured = waiting - silent - failed;
  const details = [
    told,
    ...(measured > 0 ? [`Voices of ${recordings(measured)} are being measured again.`] : []),
    ...(silent > 0 ? [`Voices of ${recordings(silent)} stay as they are: no audio is kept.`] : []),
  ];
  if (failed === 0) return asOk(details.join(' '));
  return asLimited(
    [...details, `Voices of ${recordings(failed)} could not be measured.`].join(' '),
    {
      text: 'The log of the service says why. They are tried again after its next start.',
    },
  );
}

const recordings = (count: number): string => (count === 1 ? '1 recording' : `${count} recordings`);

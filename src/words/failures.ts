import { detailsOfDevices } from './details-of-devices.ts';
import { detailsOfDevicesInGerman } from './details-of-devices.de.ts';
import { failuresOfAudio } from './failures-of-audio.ts';
import { failuresOfAudioInGerman } from './failures-of-audio.de.ts';
import { failuresOfLanguage } from './failures-of-language.ts';
import { failuresOfLanguageInGerman } from './failures-of-language.de.ts';
import { failuresOfModelServers } from './failures-of-model-servers.ts';
import { failuresOfModelServersInGerman } from './failures-of-model-servers.de.ts';
import { failuresOfRecording } from './failures-of-recording.ts';
import { failuresOfRecordingInGerman } from './failures-of-recording.de.ts';
import { failuresOfSpeech } from './failures-of-speech.ts';
import { failuresOfSpeechInGerman } from './failures-of-speech.de.ts';
import { sayingsOf } from './sentences.ts';

/** Every failure of a recording or of what it needs, devices included. */
export const failures = {
  ...detailsOfDevices,
  ...failuresOfRecording,
  ...failuresOfAudio,
  ...failuresOfSpeech,
  ...failuresOfLanguage,
  ...failuresOfModelServers,
};
export type FailureCode = keyof typeof failures;

export const failuresInGerman = {
  ...detailsOfDevicesInGerman,
  ...failuresOfRecordingInGerman,
  ...failuresOfAudioInGerman,
  ...failuresOfSpeechInGerman,
  ...failuresOfLanguageInGerman,
  ...failuresOfModelServersInGerman,
};

/** A failure's code with what varies in its sentence. */
export const failure = sayingsOf(failures, 'failure');

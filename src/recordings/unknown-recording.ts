/** There is no recording of that id. HTTP answers 404. */
export class UnknownRecording extends Error {
  override name = 'UnknownRecording';
  readonly code = 'UNKNOWN_RECORDING';
  constructor(recordingId: string) {
    super(`There is no recording ${recordingId}`);
  }
}

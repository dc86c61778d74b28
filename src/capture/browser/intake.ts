/** How much and how fast a browser's audio may come in, while it comes. */
export type Intake = {
  /** So many bytes are about to be on the disk, for good. @throws {SpaceLimitReached} */
  grow(bytes: number): Promise<void>;
  /** Bytes that may still come; null: no limit. */
  left(): number | null;
  /** When the recording began, in milliseconds since 1970: nobody has recorded longer. */
  since: number;
  /** Seconds of it that are kept elsewhere already. */
  before: number;
};

/** What lets in the audio of one user. */
export type Admit = (owner: string) => Pick<Intake, 'grow' | 'left'>;

/** Faster than time goes by, so that what waited in a browser arrives. */
const times = 2;
/** For clocks that differ and networks that stumble, in seconds. */
const slackSeconds = 60;
/** What people should know of before it ends a recording, in seconds. */
const soonSeconds = 600;

/**
 * Seconds of audio that may have come by now. The clock may be set back meanwhile, or be another node's: what was there when
 * the file was opened, and time that goes by from then on, count in any case.
 * @param held that the browser had recorded when it came
 * @param opened seconds that were there then, and seconds since
 */
export function allowedSeconds(
  { since, before }: Intake,
  held: number,
  opened: { with: number; ago: number },
): number {
  const elapsed = (Date.now() - since) / 1000;
  const sinceBegun = elapsed * times + held - before;
  return Math.max(sinceBegun, opened.with + opened.ago * times) + slackSeconds;
}

/** For how many seconds there is still room, if that is soon. @param bytesPerSecond of what is written */
export function endsSoon(intake: Intake | undefined, bytesPerSecond: number): number | null {
  const left = intake?.left() ?? null;
  const seconds = left === null ? Infinity : left / bytesPerSecond;
  return seconds < soonSeconds ? Math.floor(seconds) : null;
}

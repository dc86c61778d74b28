/** The recording's state does not allow the fact. HTTP answers 409 with both fields. */
export class NotAccepted extends Error {
  override name = 'NotAccepted';
  readonly code = 'NOT_ACCEPTED';
  /** Canonical state name. */
  readonly state: string;
  /** Types of the facts that are possible now. */
  readonly possible: readonly string[];
  constructor(type: string, state: string, possible: readonly string[], why?: string) {
    super(why ?? `${type} is not possible while the recording is ${state}`);
    this.state = state;
    this.possible = possible;
  }
}

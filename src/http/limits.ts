/** Every limit of the HTTP and WebSocket interface, in one place. */
export const limits = {
  /** JSON bodies, bytes; those of `/login` and `/setup`, which strangers send. Values and their nesting. */
  jsonBytesMax: 1024 * 1024,
  publicJsonBytesMax: 16 * 1024,
  jsonValuesMax: 20_000,
  jsonDepthMax: 32,
  /** Faults that a problem names, and unknown keys. */
  faultsMax: 50,
  /** What an upload's form may hold besides the file, bytes and fields. */
  uploadFieldsBytesMax: 64 * 1024,
  uploadFieldsMax: 16,
  /** Boundaries and part headers of an upload, bytes, and its fields: a body with more besides the file is read no further. */
  uploadOverheadBytes: 1024 * 1024,
  /** Uploads received at the same time, all users together; more are asked to come back. */
  uploadsAtOnceMax: 16,
  /** The same of one user; and what must arrive of each upload, over so many milliseconds. */
  uploadsPerUserMax: 4,
  uploadBytesPerSecondMin: 1024,
  uploadSpeedMs: 60_000,
  /** Turns that one request corrects: each is a fact, and all are one append (`appendFactsMax`). */
  turnEditsMax: 1000,
  /** Of what others share, rows that are looked at for one page: a page may have fewer than were asked for, and a cursor. */
  lookedMax: 5_000,
  /** Rows a page at most, and by default. */
  pageMax: 200,
  pageDefault: 50,
  /** Recordings that one request names: erased, exported, or put in order; and ids of a whole library. */
  erasedTogetherMax: 100,
  exportedTogetherMax: 500,
  changedTogetherMax: 500,
  summarisedTogetherMax: 50,
  /** Recordings that a rule is tried on, the newest. */
  triedMax: 200,
  /** Recordings of a folder or a tag that are counted; and of all in one answer, where there are many, twice at most. */
  countedMax: 1000,
  countedTogetherMax: 20_000,
  libraryIdsMax: 10_000,
  /** `Idempotency-Key`: characters; answers remembered, all users together. */
  idempotencyKeyCharactersMax: 255,
  rememberedAnswersMax: 1000,
  /** Answers shorter than this are not compressed: it takes longer than to send them. */
  compressedBytesMin: 4096,
  /** How long a request waits for what the service still reads at its start, before 503 `starting`. */
  readyWaitMs: 1000,
  /** How long a mutating answer waits until what it did can be read. */
  readYourWritesMs: 5000,
  /** How long the rest of a refused body is read, so that the client gets to read the answer. */
  lingerMs: 2000,
  lingerBytesMax: 16 * 1024 * 1024,

  /** How long a ticket for audio, peaks and export is good. */
  ticketMs: 600_000,
  /** How often an address, or IPv6 /64, asks within a minute for what a link opens. */
  linkLooksPerMinute: 60,
  /** WebSockets of who has a link: of one link, and of all. */
  listenersPerLinkMax: 32,
  linkListenersMax: 1000,
  /** How often it is looked whether who is being sent something may still have it. */
  accessLookMs: 500,
  /** Entries of one file of what happened. */
  happenedExportedMax: 100_000,
  /** Values of `GET …/peaks` in one answer. */
  peaksMax: 1_000_000,
  /** Documents of other formats (Word) being made, and people waiting for one. */
  exportsWaitingMax: 16,
  /** Characters of a search, hits an answer. */
  searchCharactersMax: 400,
  hitsMax: 100,
  hitsDefault: 20,
  /** Passages of a note in an answer to a search. */
  passagesMax: 100,
  passagesDefault: 3,
  /** Running recordings of others that a status names. */
  followingMax: 20,
  /** Paths of one `POST /open`. */
  openPathsMax: 50,
  /** People waiting for their documents to be copied into the vault. */
  openWaitingMax: 16,
  /** A resumable upload that is not complete by then is removed; looked for as often as that. */
  resumableMs: 24 * 3600_000,
  resumableSweepMs: 600_000,
  /** Resumable uploads under way: of one user, and of all. */
  resumablePerUserMax: 32,
  resumableMax: 1000,
  /** How long a connection that another one takes an upload from may still write what has arrived. */
  resumableDrainMs: 500,

  /** WebSockets a user, and bytes a message from a client. */
  socketsPerUserMax: 32,
  messageBytesMax: 64 * 1024,
  /**
   * Microphones of browsers (binary frames are messages too; `browserRates` and `browserLimits` in
   * src/capture say what a recording itself is limited to): recordings of one user at once, and
   * `audio.*` messages of one connection that wait for those before them.
   */
  browserRecordingsPerUserMax: 4,
  audioMessagesWaitingMax: 16,
  /** Refused messages after which a connection is closed (1013). */
  refusedMessagesMax: 300,
  /** Bytes waiting to be sent to one client; beyond it the client is dropped. */
  socketBufferBytesMax: 1024 * 1024,
  /** A ping, a look whether the session still lives, and a `position` frame as often as this. */
  heartbeatMs: 15_000,
  /** How long a closing socket has to say goodbye, and a catching-up one to take what it was sent. */
  socketCloseMs: 2000,
  socketDrainMs: 30_000,
  /** Clients reading the log for what they missed, at the same time; others wait their turn. */
  catchUpsAtOnceMax: 4,
  /** Facts that a client may have missed; of more it is told that, and reads again what it shows. */
  catchUpFactsMax: 20_000,
  /** `progress` frames of one recording are at least this far apart. */
  progressEveryMs: 250,
  /** Status objects, and pages of the library, kept at hand until the next fact. */
  statusesKeptMax: 1000,
  pagesKeptMax: 64,
  /** Recordings whose owner is kept at hand. */
  ownersRememberedMax: 10_000,

  /** Request headers, a whole request (an upload of hours of audio on a slow line), a kept-alive connection. */
  headersTimeoutMs: 60_000,
  /** Until a connection has said what it speaks, and until it is encrypted. */
  handshakeMs: 20_000,
  /** How often at most it is looked whether the files of the certificate have changed. */
  certificateLookMs: 1000,
  /** How often it is looked whether headers and requests are in time. */
  timeoutsCheckedMs: 10_000,
  /** A JSON body, which a stranger may send to `/login`: a few kilobytes do not take longer. */
  jsonBodyMs: 60_000,
  requestTimeoutMs: 6 * 3600_000,
  keepAliveTimeoutMs: 10_000,
  connectionsMax: 2000,
  connectionsPerAddressMax: 256,
  /** While more than half of them are in use: how long one may ask for nothing, and how often that is looked at. */
  unaskedMs: 10_000,
  unaskedLookMs: 1000,
  /** A connection on which nothing moves in either direction. */
  idleTimeoutMs: 300_000,
  /** How long a stopping server lets requests finish. */
  closeMs: 10_000,
  closeSweepMs: 50,
} as const;

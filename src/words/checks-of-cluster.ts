import { says } from './sentences.ts';

/** What Health finds about nodes and what these share. */
export const checksOfCluster = {
  'needs-database': says(
    {},
    {
      detail: 'This could not be checked because the database can’t be used.',
      todo: 'Fix the database first.',
    },
  ),
  'database-ok': says(
    { version: 'text', database: 'text' },
    { detail: 'PostgreSQL {version} responds at {database}, and its tables match this version.' },
  ),
  'database-silent': says(
    { database: 'text', cause: 'text' },
    {
      detail: 'The database {database} doesn’t respond ({cause}).',
      todo: 'Start it, or check the address (MITSCHRIFT_DATABASE_URL).',
    },
  ),
  'database-login': says(
    { database: 'text', cause: 'text' },
    {
      detail: 'The database {database} rejects user or password ({cause}).',
      todo: 'Correct them in MITSCHRIFT_DATABASE_URL.',
    },
  ),
  'database-missing': says(
    { database: 'text' },
    { detail: 'The database {database} doesn’t exist.', todo: 'Create it with createdb.' },
  ),
  'database-no-rights': says(
    { database: 'text' },
    {
      detail: 'The user may not create tables in {database}.',
      todo: 'Make this user the owner of the database.',
    },
  ),
  'database-old': says(
    { database: 'text', version: 'text' },
    {
      detail: '{database} is PostgreSQL {version}; Mitschrift needs 14 or newer.',
      todo: 'Upgrade PostgreSQL.',
    },
  ),
  'database-standby': says(
    { database: 'text' },
    {
      detail: '{database} is a standby that accepts no changes.',
      todo: 'Enter the address of the primary.',
    },
  ),
  'database-encoding': says(
    { database: 'text', encoding: 'text' },
    {
      detail: '{database} is encoded as {encoding}; UTF-8 is needed.',
      todo: '`createdb --encoding=UTF8 --template=template0`',
    },
  ),
  'database-pooler': says(
    { database: 'text' },
    {
      detail: 'A connection pooler in transaction mode is in front of {database}.',
      todo: 'Connect to the database itself, or set the pooler to session mode.',
    },
  ),
  'database-no-fsync': says(
    { database: 'text' },
    {
      detail: '{database} runs with fsync off: a power cut can lose saved data.',
      todo: 'Turn fsync on.',
    },
  ),
  'database-empty': says(
    { database: 'text' },
    { detail: '{database} has no tables of Mitschrift.', todo: 'Start a node: it creates them.' },
  ),
  'tables-newer': says(
    { database: 'text', found: 'text', known: 'text' },
    {
      detail:
        'The tables in {database} belong to a newer version of Mitschrift ({found}, not {known}).',
      todo: 'Start that version.',
    },
  ),
  'tables-older': says(
    { database: 'text', found: 'text', known: 'text' },
    {
      detail:
        'The tables in {database} belong to an older version of Mitschrift ({found}, not {known}).',
      todo: 'Start a node: it updates them.',
    },
  ),
  'tables-unreleased': says(
    { database: 'text' },
    {
      detail: 'The tables in {database} were made by an unreleased state of Mitschrift.',
      todo: 'With that state: `mitschrift migrate --to DIR`. Then, with this one and an empty database: `mitschrift migrate --from DIR`.',
    },
  ),
  'clocks-agree': says({}, { detail: 'This computer’s clock and the database’s agree.' }),
  'node-clock-ahead': says(
    { by: 'seconds' },
    {
      detail:
        'This computer’s clock is {by} ahead of the database’s: sessions end early, and times of recordings are wrong.',
      todo: 'Let all nodes and the database set their clocks over the network.',
    },
  ),
  'node-clock-behind': says(
    { by: 'seconds' },
    {
      detail:
        'This computer’s clock is {by} behind the database’s: sessions end late, and times of recordings are wrong.',
      todo: 'Let all nodes and the database set their clocks over the network.',
    },
  ),
  'files-ok': says(
    { place: 'text' },
    { detail: '{place} can be written to, and all nodes use it.' },
  ),
  'files-vanish': says(
    { place: 'text' },
    {
      detail: 'A test file written to {place} was not there afterwards.',
      todo: 'Check the storage.',
    },
  ),
  'files-unusable': says(
    { place: 'text', cause: 'text' },
    {
      detail: '{place} can’t be used at the moment: {cause}.',
      todo: 'Check the storage and MITSCHRIFT_BLOBS_URL.',
    },
  ),
  'files-unknown-place': says(
    { place: 'text' },
    {
      detail: 'No node has used {place} for this data so far.',
      todo: 'Check that it is mounted, and that MITSCHRIFT_BLOBS_URL is the same on all nodes.',
    },
  ),
  'files-foreign': says(
    { place: 'text', file: 'text' },
    {
      detail: '{place} contains a file that isn’t Mitschrift’s: {file}.',
      todo: 'Use another directory, bucket or prefix (MITSCHRIFT_BLOBS_URL).',
    },
  ),
  'files-of-other-log': says(
    { place: 'text', log: 'text', ours: 'text' },
    {
      detail:
        '{place} has the files of another event log ({log}, not {ours}). Nothing was changed.',
      todo: 'Use another directory, bucket or prefix (MITSCHRIFT_BLOBS_URL).',
    },
  ),
  'files-not-shared': says(
    { place: 'text', nodes: 'list' },
    {
      detail: 'These nodes don’t use {place}: {nodes}.',
      todo: 'Mount the same directory, or use the same bucket, on all nodes. Then restart the nodes that used another one.',
    },
  ),
  'lists-ok': says({ node: 'text' }, { detail: '{node} keeps the lists up to date.' }),
  'lists-nobody': says(
    {},
    {
      detail: 'No node keeps the lists up to date.',
      todo: 'Start a node with the newest version used so far.',
    },
  ),
  'lists-behind': says(
    { count: 'integer', node: 'text' },
    {
      detail: {
        one: 'The lists are {count} event behind; {node} is catching up.',
        other: 'The lists are {count} events behind; {node} is catching up.',
      },
      todo: 'Wait. If the number grows, check the log of that node and the load of the database.',
    },
  ),
  'nodes-ok': says({ nodes: 'list' }, { detail: 'Running: {nodes}.' }),
  'nodes-none': says({}, { detail: 'No node is running.', todo: 'Start one.' }),
  'nodes-no-workers': says(
    { nodes: 'list' },
    {
      detail: 'No node processes recordings; running: {nodes}. Recordings wait.',
      todo: 'Start a node with MITSCHRIFT_ROLE work or all.',
    },
  ),
  'nodes-no-servers': says(
    { nodes: 'list' },
    {
      detail: 'No node answers requests; running: {nodes}.',
      todo: 'Start a node with MITSCHRIFT_ROLE serve or all.',
    },
  ),
  'nodes-mixed': says(
    { nodes: 'list' },
    {
      detail: 'The nodes run different versions: {nodes}.',
      todo: 'Start the newest version on all nodes.',
    },
  ),
  'nodes-lost': says(
    { nodes: 'list', lost: 'list' },
    {
      detail: 'Running: {nodes}. Lost in the last 24 hours: {lost}.',
      todo: 'Restart them if needed. The other nodes have taken over their work.',
    },
  ),
  'facts-lost': says(
    { cause: 'sentence' },
    {
      detail: '{cause}',
      todo: 'Check what was recorded and changed shortly before, and repeat what is missing. Set synchronous_standby_names on the database, so that a failover loses nothing.',
    },
  ),
  'database-refused': says(
    { cause: 'said' },
    { detail: 'The database can’t be used: {cause}', todo: 'Correct the cause and check again.' },
  ),
  'files-refused': says(
    { cause: 'said' },
    {
      detail: 'The files can’t be used: {cause}',
      todo: 'Check the storage and MITSCHRIFT_BLOBS_URL.',
    },
  ),
};

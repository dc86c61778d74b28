import { says } from './sentences.ts';

/** What Health finds about nodes and what these share. */
export const checksOfCluster = {
  'needs-database': says({
    detail: 'This could not be checked because the database can’t be used.',
    todo: 'Fix the database first.',
  }),
  'database-ok': says(
    { version: 'text', database: 'place' },
    'PostgreSQL {version} responds at {database}, and its tables match this version.',
  ),
  'database-silent': says(
    { database: 'place', cause: 'text' },
    {
      detail: 'The database {database} doesn’t respond ({cause}).',
      todo: 'Start it, or check the address (MITSCHRIFT_DATABASE_URL).',
    },
  ),
  'database-login': says(
    { database: 'place', cause: 'text' },
    {
      detail: 'The database {database} rejects user or password ({cause}).',
      todo: 'Correct them in MITSCHRIFT_DATABASE_URL.',
    },
  ),
  'database-no-password': says(
    { database: 'place' },
    {
      detail: 'The database {database} asks for a password, but none is set.',
      todo: 'Add it to MITSCHRIFT_DATABASE_URL.',
    },
  ),
  'database-url-wrong': says({
    detail: 'MITSCHRIFT_DATABASE_URL can’t be read.',
    todo: 'Use postgres://user:password@host:port/database.',
  }),
  'database-missing': says(
    { database: 'place' },
    { detail: 'The database {database} doesn’t exist.', todo: 'Create it with createdb.' },
  ),
  'database-no-rights': says(
    { database: 'place' },
    {
      detail: 'The user may not create tables in {database}.',
      todo: 'Make this user the owner of the database.',
    },
  ),
  'database-old': says(
    { database: 'place', version: 'text' },
    {
      detail: '{database} is PostgreSQL {version}; Mitschrift needs 14 or newer.',
      todo: 'Upgrade PostgreSQL.',
    },
  ),
  'database-standby': says(
    { database: 'place' },
    {
      detail: '{database} is a standby that accepts no changes.',
      todo: 'Enter the address of the primary.',
    },
  ),
  'database-encoding': says(
    { database: 'place', encoding: 'text' },
    {
      detail: '{database} is encoded as {encoding}; UTF-8 is needed.',
      todo: 'Create another one: `createdb --encoding=UTF8 --template=template0`.',
    },
  ),
  'database-pooler': says(
    { database: 'place' },
    {
      detail: 'A connection pooler in transaction mode is in front of {database}.',
      todo: 'Connect to the database itself, or set the pooler to session mode.',
    },
  ),
  'database-few-connections': says(
    { database: 'place', limit: 'integer?', used: 'integer?', needed: 'integer?' },
    {
      detail:
        'The database {database} has too few free connections[: it allows {limit}, {used} are in use, and a node needs {needed}].',
      todo: 'Raise max_connections in PostgreSQL, or run fewer nodes.',
    },
  ),
  'database-empty': says(
    { database: 'place' },
    { detail: '{database} has no tables of Mitschrift.', todo: 'Start a node: it creates them.' },
  ),
  'tables-newer': says(
    { database: 'place', found: 'text', known: 'text' },
    {
      detail:
        'The tables in {database} belong to a newer version of Mitschrift ({found}, not {known}).',
      todo: 'Start that version.',
    },
  ),
  'tables-older': says(
    { database: 'place', found: 'text', known: 'text' },
    {
      detail:
        'The tables in {database} belong to an older version of Mitschrift ({found}, not {known}).',
      todo: 'Start a node: it updates them.',
    },
  ),
  'tables-unreleased': says(
    { database: 'place' },
    {
      detail: 'The tables in {database} were made by an unreleased state of Mitschrift.',
      todo: 'With that state: `mitschrift migrate --to DIR`. Then, with this one and an empty database: `mitschrift migrate --from DIR`.',
    },
  ),
  'clocks-agree': says('This computer’s clock and the database’s agree.'),
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
  'files-ok': says({ place: 'place' }, '{place} can be written to, and all nodes use it.'),
  'files-vanish': says(
    { place: 'place' },
    {
      detail: 'A test file written to {place} was not there afterwards.',
      todo: 'Check the storage.',
    },
  ),
  'files-unusable': says(
    {
      place: 'place',
      cause: ['late', 'silent', 'claim-lost', 'broke-off', 'directory', 'status'],
      said: 'text?',
    },
    {
      detail: '{place} can’t be used at the moment: {cause}.',
      todo: 'Check the storage and MITSCHRIFT_BLOBS_URL.',
      choices: {
        cause: {
          late: 'it didn’t respond in time',
          silent: 'it doesn’t respond[ ({said})]',
          'claim-lost': 'the connection was lost while a file was being stored',
          'broke-off': 'the connection was lost in the middle of a file',
          directory: 'the directory is missing or doesn’t respond',
          status: 'it responds with HTTP {said}',
        },
      },
    },
  ),
  'files-rejected': says(
    { place: 'place', said: 'text' },
    {
      detail: '{place} rejects requests (HTTP {said}).',
      todo: 'Check the storage and MITSCHRIFT_BLOBS_URL.',
    },
  ),
  'files-login': says(
    { place: 'place' },
    {
      detail: '{place} rejects the credentials, or they lack rights.',
      todo: 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and what they may do.',
    },
  ),
  'files-no-credentials': says(
    { place: 'place' },
    {
      detail: 'There are no credentials for {place}.',
      todo: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    },
  ),
  'files-no-bucket': says(
    { place: 'place' },
    {
      detail: 'The bucket {place} doesn’t exist.',
      todo: 'Create it, or check MITSCHRIFT_BLOBS_URL.',
    },
  ),
  'files-clock': says(
    { place: 'place' },
    {
      detail: '{place} rejects requests because this computer’s clock is more than 15 minutes off.',
      todo: 'Let this computer set its clock over the network.',
    },
  ),
  'files-link': says(
    { place: 'place' },
    {
      detail: 'A link in {place} leads out of it.',
      todo: 'Replace the link with what it leads to.',
    },
  ),
  'blobs-url-wrong': says(
    {
      cause: [
        'no-url',
        'credentials',
        'scheme',
        'behind-directory',
        'directory',
        'bucket',
        'prefix',
        'options',
        'endpoint',
      ],
    },
    {
      detail: 'MITSCHRIFT_BLOBS_URL can’t be read: {cause}.',
      todo: 'Use file:///absolute/directory or s3://bucket/prefix?endpoint=https://host&region=name.',
      choices: {
        cause: {
          'no-url': 'it is not a URL',
          credentials: 'credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
          scheme: 'it must begin with file: or s3:',
          'behind-directory': 'nothing may follow the directory',
          directory: 'the directory must be an absolute path below /',
          bucket: 'the name of the bucket is not valid',
          prefix: 'a prefix consists of letters, digits, . _ - and /',
          options: 'only endpoint and region may follow the ?',
          endpoint: 'the endpoint must be http://host:port or https://host, without credentials',
        },
      },
    },
  ),
  'files-unknown-place': says(
    { place: 'place' },
    {
      detail: 'No node has used {place} for this data so far.',
      todo: 'Check that it is mounted, and that MITSCHRIFT_BLOBS_URL is the same on all nodes.',
    },
  ),
  'files-foreign': says(
    { place: 'place', file: 'place' },
    {
      detail: '{place} contains a file that isn’t Mitschrift’s: {file}.',
      todo: 'Use another directory, bucket or prefix (MITSCHRIFT_BLOBS_URL).',
    },
  ),
  'files-of-other-log': says(
    { place: 'place', log: 'text', ours: 'text' },
    {
      detail:
        '{place} has the files of another event log ({log}, not {ours}). Nothing was changed.',
      todo: 'Use another directory, bucket or prefix (MITSCHRIFT_BLOBS_URL).',
    },
  ),
  'files-not-shared': says(
    { place: 'place', nodes: 'list' },
    {
      detail: 'These nodes don’t use {place}: {nodes}.',
      todo: 'Mount the same directory, or use the same bucket, on all nodes. Then restart the nodes that used another one.',
    },
  ),
  'lists-ok': says({ node: 'text' }, '{node} keeps the lists up to date.'),
  'lists-nobody': says({
    detail: 'No node keeps the lists up to date.',
    todo: 'Start a node with the newest version used so far.',
  }),
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
  'nodes-ok': says({ nodes: 'list' }, 'Running: {nodes}.'),
  'nodes-none': says({ detail: 'No node is running.', todo: 'Start one.' }),
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
};

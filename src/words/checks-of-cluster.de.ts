import type { Words } from './sentences.ts';
import type { checksOfCluster } from './checks-of-cluster.ts';

export const checksOfClusterInGerman = {
  'needs-database': {
    detail: 'Das konnte nicht geprüft werden, da die Datenbank nicht verwendbar ist.',
    todo: 'Beheben Sie zuerst das Problem mit der Datenbank.',
  },
  'database-ok':
    'PostgreSQL {version} antwortet unter {database}, und die Tabellen passen zu dieser Version.',
  'database-silent': {
    detail: 'Die Datenbank {database} antwortet nicht ({cause}).',
    todo: 'Starten Sie sie, oder prüfen Sie die Adresse (MITSCHRIFT_DATABASE_URL).',
  },
  'database-login': {
    detail: 'Die Datenbank {database} weist Benutzer oder Passwort zurück ({cause}).',
    todo: 'Korrigieren Sie sie in MITSCHRIFT_DATABASE_URL.',
  },
  'database-no-password': {
    detail: 'Die Datenbank {database} verlangt ein Passwort, es ist aber keines angegeben.',
    todo: 'Ergänzen Sie es in MITSCHRIFT_DATABASE_URL.',
  },
  'database-url-wrong': {
    detail: 'MITSCHRIFT_DATABASE_URL ist nicht lesbar.',
    todo: 'Verwenden Sie postgres://user:password@host:port/database.',
  },
  'database-missing': {
    detail: 'Die Datenbank {database} gibt es nicht.',
    todo: 'Legen Sie sie mit createdb an.',
  },
  'database-no-rights': {
    detail: 'Der Benutzer darf in {database} keine Tabellen anlegen.',
    todo: 'Machen Sie ihn zum Eigentümer der Datenbank.',
  },
  'database-old': {
    detail: '{database} ist PostgreSQL {version}; Mitschrift braucht 14 oder neuer.',
    todo: 'Aktualisieren Sie PostgreSQL.',
  },
  'database-standby': {
    detail: '{database} ist ein Standby und nimmt keine Änderungen an.',
    todo: 'Geben Sie die Adresse des Primärservers an.',
  },
  'database-encoding': {
    detail: '{database} ist in {encoding} kodiert; nötig ist UTF-8.',
    todo: 'Legen Sie eine andere an: `createdb --encoding=UTF8 --template=template0`.',
  },
  'database-pooler': {
    detail: 'Vor {database} steht ein Connection Pooler im Transaktionsmodus.',
    todo: 'Verbinden Sie direkt mit der Datenbank, oder stellen Sie den Pooler auf Sitzungsmodus.',
  },
  'database-few-connections': {
    detail:
      'Die Datenbank {database} hat zu wenige freie Verbindungen[: Sie erlaubt {limit}, davon sind {used} belegt, und ein Knoten braucht {needed}].',
    todo: 'Erhöhen Sie max_connections in PostgreSQL, oder betreiben Sie weniger Knoten.',
  },
  'database-empty': {
    detail: '{database} hat keine Tabellen von Mitschrift.',
    todo: 'Starten Sie einen Knoten: Er legt sie an.',
  },
  'tables-newer': {
    detail:
      'Die Tabellen in {database} gehören zu einer neueren Version von Mitschrift ({found}, nicht {known}).',
    todo: 'Starten Sie diese Version.',
  },
  'tables-older': {
    detail:
      'Die Tabellen in {database} gehören zu einer älteren Version von Mitschrift ({found}, nicht {known}).',
    todo: 'Starten Sie einen Knoten: Er bringt sie auf den neuen Stand.',
  },
  'tables-unreleased': {
    detail: 'Die Tabellen in {database} stammen von einem unveröffentlichten Stand von Mitschrift.',
    todo: 'Mit diesem Stand: `mitschrift migrate --to DIR`. Danach mit dem jetzigen und einer leeren Datenbank: `mitschrift migrate --from DIR`.',
  },
  'clocks-agree': 'Die Uhren dieses Computers und der Datenbank stimmen überein.',
  'node-clock-ahead': {
    detail:
      'Die Uhr dieses Computers geht gegenüber der Datenbank {by} vor: Sitzungen enden zu früh, und Zeiten von Aufnahmen sind falsch.',
    todo: 'Lassen Sie die Uhren aller Knoten und der Datenbank über das Netzwerk stellen.',
  },
  'node-clock-behind': {
    detail:
      'Die Uhr dieses Computers geht gegenüber der Datenbank {by} nach: Sitzungen enden zu spät, und Zeiten von Aufnahmen sind falsch.',
    todo: 'Lassen Sie die Uhren aller Knoten und der Datenbank über das Netzwerk stellen.',
  },
  'files-ok': '{place} ist beschreibbar und wird von allen Knoten verwendet.',
  'files-vanish': {
    detail: 'Eine nach {place} geschriebene Testdatei war danach nicht vorhanden.',
    todo: 'Prüfen Sie den Speicher.',
  },
  'files-unusable': {
    detail: '{place} ist derzeit nicht verwendbar: {cause}.',
    todo: 'Prüfen Sie den Speicher und MITSCHRIFT_BLOBS_URL.',
    choices: {
      cause: {
        late: 'Die Antwort kam nicht rechtzeitig',
        silent: 'Es kommt keine Antwort[ ({said})]',
        'claim-lost': 'Die Verbindung ging verloren, während eine Datei gespeichert wurde',
        'broke-off': 'Die Verbindung ging mitten in einer Datei verloren',
        directory: 'Das Verzeichnis fehlt oder antwortet nicht',
        status: 'Die Antwort ist HTTP {said}',
      },
    },
  },
  'files-rejected': {
    detail: '{place} weist Anfragen zurück (HTTP {said}).',
    todo: 'Prüfen Sie den Speicher und MITSCHRIFT_BLOBS_URL.',
  },
  'files-login': {
    detail: '{place} weist die Zugangsdaten zurück, oder ihnen fehlen Rechte.',
    todo: 'Prüfen Sie AWS_ACCESS_KEY_ID und AWS_SECRET_ACCESS_KEY und was damit erlaubt ist.',
  },
  'files-no-credentials': {
    detail: 'Für {place} gibt es keine Zugangsdaten.',
    todo: 'Setzen Sie AWS_ACCESS_KEY_ID und AWS_SECRET_ACCESS_KEY.',
  },
  'files-no-bucket': {
    detail: 'Den Bucket {place} gibt es nicht.',
    todo: 'Legen Sie ihn an, oder prüfen Sie MITSCHRIFT_BLOBS_URL.',
  },
  'files-clock': {
    detail:
      '{place} weist Anfragen zurück, weil die Uhr dieses Computers um mehr als 15 Minuten falsch geht.',
    todo: 'Lassen Sie die Uhr dieses Computers über das Netzwerk stellen.',
  },
  'files-link': {
    detail: 'Ein Link in {place} führt hinaus.',
    todo: 'Ersetzen Sie den Link durch das, worauf er zeigt.',
  },
  'blobs-url-wrong': {
    detail: 'MITSCHRIFT_BLOBS_URL ist nicht lesbar: {cause}.',
    todo: 'Verwenden Sie file:///absolute/directory oder s3://bucket/prefix?endpoint=https://host&region=name.',
    choices: {
      cause: {
        'no-url': 'Es ist keine URL',
        credentials: 'Zugangsdaten gehören in AWS_ACCESS_KEY_ID und AWS_SECRET_ACCESS_KEY',
        scheme: 'Am Anfang muss file: oder s3: stehen',
        'behind-directory': 'Hinter dem Verzeichnis darf nichts folgen',
        directory: 'Das Verzeichnis muss ein absoluter Pfad unterhalb von / sein',
        bucket: 'Der Name des Buckets ist ungültig',
        prefix: 'Ein Präfix besteht aus Buchstaben, Ziffern, . _ - und /',
        options: 'Hinter dem ? dürfen nur endpoint und region stehen',
        endpoint: 'Der Endpoint muss http://host:port oder https://host sein, ohne Zugangsdaten',
      },
    },
  },
  'files-unknown-place': {
    detail: 'Bisher hat kein Knoten {place} für diese Daten verwendet.',
    todo: 'Prüfen Sie, ob es eingehängt ist und ob MITSCHRIFT_BLOBS_URL auf allen Knoten gleich ist.',
  },
  'files-foreign': {
    detail: '{place} enthält eine Datei, die nicht von Mitschrift ist: {file}.',
    todo: 'Verwenden Sie ein anderes Verzeichnis, einen anderen Bucket oder ein anderes Präfix (MITSCHRIFT_BLOBS_URL).',
  },
  'files-of-other-log': {
    detail:
      '{place} enthält die Dateien eines anderen Ereignislogs ({log}, nicht {ours}). Es wurde nichts geändert.',
    todo: 'Verwenden Sie ein anderes Verzeichnis, einen anderen Bucket oder ein anderes Präfix (MITSCHRIFT_BLOBS_URL).',
  },
  'files-not-shared': {
    detail: 'Diese Knoten verwenden {place} nicht: {nodes}.',
    todo: 'Hängen Sie auf allen Knoten dasselbe Verzeichnis ein, oder verwenden Sie denselben Bucket. Starten Sie danach die anderen Knoten neu.',
  },
  'lists-ok': '{node} hält die Listen aktuell.',
  'lists-nobody': {
    detail: 'Kein Knoten hält die Listen aktuell.',
    todo: 'Starten Sie einen Knoten mit der neuesten bisher verwendeten Version.',
  },
  'lists-behind': {
    detail: {
      one: 'Die Listen liegen {count} Ereignis zurück; {node} holt auf.',
      other: 'Die Listen liegen {count} Ereignisse zurück; {node} holt auf.',
    },
    todo: 'Warten Sie. Steigt die Zahl, sehen Sie im Log dieses Knotens nach und prüfen Sie die Auslastung der Datenbank.',
  },
  'nodes-ok': 'Es laufen: {nodes}.',
  'nodes-none': { detail: 'Es läuft kein Knoten.', todo: 'Starten Sie einen.' },
  'nodes-no-workers': {
    detail: 'Kein Knoten verarbeitet Aufnahmen; es laufen: {nodes}. Aufnahmen warten.',
    todo: 'Starten Sie einen Knoten mit MITSCHRIFT_ROLE work oder all.',
  },
  'nodes-no-servers': {
    detail: 'Kein Knoten beantwortet Anfragen; es laufen: {nodes}.',
    todo: 'Starten Sie einen Knoten mit MITSCHRIFT_ROLE serve oder all.',
  },
  'nodes-mixed': {
    detail: 'Auf den Knoten laufen verschiedene Versionen: {nodes}.',
    todo: 'Starten Sie auf allen Knoten die neueste Version.',
  },
  'nodes-lost': {
    detail: 'Es laufen: {nodes}. In den letzten 24 Stunden ausgefallen: {lost}.',
    todo: 'Starten Sie sie bei Bedarf neu. Die anderen Knoten haben ihre Arbeit übernommen.',
  },
  'facts-lost': {
    detail: '{cause}',
    todo: 'Prüfen Sie, was kurz davor aufgenommen und geändert wurde, und wiederholen Sie Fehlendes. Setzen Sie synchronous_standby_names an der Datenbank, damit ein Failover nichts verliert.',
  },
} satisfies Words<typeof checksOfCluster>;

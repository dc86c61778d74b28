import type { Phrases } from '../shared/german.ts';

/** What the doctor finds and advises where several nodes share a database, in German. */
export const germanCluster: Phrases = {
  'Database of all nodes': 'Datenbank aller Knoten',
  'Clock and the database’s': 'Uhr und die der Datenbank',
  'Files of all nodes': 'Dateien aller Knoten',
  'Lists of recordings': 'Listen der Aufnahmen',
  Nodes: 'Knoten',

  'It could not be looked at, since the database cannot be used.':
    'Das ließ sich nicht prüfen, weil die Datenbank nicht zu benutzen ist.',
  'Mend the database first.': 'Erst die Datenbank in Ordnung bringen.',
  'Do what the sentence says, and look again.': 'Tun, was der Satz sagt, und erneut prüfen.',

  // Database
  'PostgreSQL {version} answers at {where}, directly; its tables are of this release.':
    'PostgreSQL {version} antwortet unter {where}, unmittelbar; seine Tabellen sind von dieser Version.',
  'The database came back {count} facts shorter: a standby that was behind took over, or an earlier time was restored.':
    'Die Datenbank ist um {count} Fakten kürzer wiedergekommen: Ein Standby, der zurücklag, hat übernommen, oder ein früherer Stand wurde eingespielt.',
  'The database came back {count} fact shorter: a standby that was behind took over, or an earlier time was restored.':
    'Die Datenbank ist um {count} Fakt kürzer wiedergekommen: Ein Standby, der zurücklag, hat übernommen, oder ein früherer Stand wurde eingespielt.',
  'The database came back without the last facts that this node knew: a standby that was behind took over, or an earlier time was restored.':
    'Die Datenbank ist ohne die letzten Fakten wiedergekommen, die dieser Knoten kannte: Ein Standby, der zurücklag, hat übernommen, oder ein früherer Stand wurde eingespielt.',
  'What those facts held is lost; this node begins anew with what is there.':
    'Was in diesen Fakten stand, ist verloren; dieser Knoten beginnt neu mit dem, was da ist.',
  'Look at what was recorded and changed shortly before, and do again what is missing.':
    'Ansehen, was kurz zuvor aufgenommen und geändert wurde, und nachholen, was fehlt.',
  'Set synchronous_standby_names at the database, so that nothing is lost by a failover.':
    'In der Datenbank synchronous_standby_names setzen, damit bei einer Übernahme nichts verloren geht.',
  'The database {where} does not answer ({code}).':
    'Die Datenbank {where} antwortet nicht ({code}).',
  'The database {where} does not answer: {why}.': 'Die Datenbank {where} antwortet nicht: {why}.',
  'The database {where} refuses the user or the password ({code}).':
    'Die Datenbank {where} weist Benutzer oder Passwort zurück ({code}).',
  'There is no database {where}.': 'Es gibt keine Datenbank {where}.',
  'Make it with createdb.': 'Mit createdb anlegen.',
  'The user may not make tables in the database {where}.':
    'Der Benutzer darf in der Datenbank {where} keine Tabellen anlegen.',
  'The user may not do in the database {where} what a node does: rights were taken away.':
    'Der Benutzer darf in der Datenbank {where} nicht, was ein Knoten tut: Rechte wurden entzogen.',
  'Make that user its owner.': 'Diesen Benutzer zu ihrem Eigentümer machen.',
  'The database {where} runs with fsync off: a power cut may take what it acknowledged.':
    'Die Datenbank {where} läuft ohne fsync: Ein Stromausfall kann nehmen, was sie bestätigt hat.',
  'The clock of this machine is {seconds} s ahead of that of the database {where}.':
    'Die Uhr dieses Rechners geht der der Datenbank {where} um {seconds} s vor.',
  'The clock of this machine is {seconds} s behind that of the database {where}.':
    'Die Uhr dieses Rechners geht der der Datenbank {where} um {seconds} s nach.',
  'What is recorded here gets wrong times: let both follow a time server.':
    'Was hier aufgenommen wird, bekommt falsche Zeiten: beide einem Zeitserver folgen lassen.',
  'The database {where} is PostgreSQL {version}; Mitschrift needs 14 or newer.':
    'Die Datenbank {where} ist PostgreSQL {version}; Mitschrift braucht 14 oder neuer.',
  'The database {where} is a standby, which takes no writes.':
    'Die Datenbank {where} ist ein Standby, der nichts annimmt.',
  'Name the primary.': 'Den Primärserver nennen.',
  'The database {where} is encoded as {encoding}.':
    'Die Datenbank {where} ist in {encoding} kodiert.',
  'Make one with createdb --encoding=UTF8 --template=template0.':
    'Eine mit createdb --encoding=UTF8 --template=template0 anlegen.',
  'Between Mitschrift and the database {where} is a pooler in transaction mode.':
    'Zwischen Mitschrift und der Datenbank {where} steht ein Pooler im Transaktionsmodus.',
  'Locks and notifications need a connection of their own: name the database itself, or set the pooler to session mode.':
    'Sperren und Benachrichtigungen brauchen eine eigene Verbindung: die Datenbank selbst nennen oder den Pooler auf Sitzungsmodus stellen.',
  'The database {where} has no tables of Mitschrift.':
    'Die Datenbank {where} hat keine Tabellen von Mitschrift.',
  'The first node that is started makes them.': 'Der erste Knoten, der startet, legt sie an.',
  'The tables of the database {where} are of a newer release of Mitschrift ({found}, not {known}).':
    'Die Tabellen der Datenbank {where} sind von einer neueren Version von Mitschrift ({found}, nicht {known}).',
  'Start that release.': 'Diese Version starten.',
  'The tables of the database {where} are of an older release of Mitschrift ({found}, not {known}).':
    'Die Tabellen der Datenbank {where} sind von einer älteren Version von Mitschrift ({found}, nicht {known}).',
  'The first node of this release that is started brings them up.':
    'Der erste Knoten dieser Version, der startet, bringt sie auf ihren Stand.',
  'The database {where} takes {max} connections, of which {used} are in use; a node needs {needed}.':
    'Die Datenbank {where} nimmt {max} Verbindungen an, von denen {used} belegt sind; ein Knoten braucht {needed}.',
  'The database {where} has no connection left.':
    'Die Datenbank {where} hat keine Verbindung mehr frei.',
  'Raise max_connections of the database, or start fewer nodes.':
    'max_connections der Datenbank erhöhen oder weniger Knoten starten.',
  'The tables of the database {where} are of another state of Mitschrift before its release.':
    'Die Tabellen der Datenbank {where} sind von einem anderen Stand von Mitschrift vor seiner Veröffentlichung.',
  'Bring its log into a directory by mitschrift migrate --to of the one that made them, and into an empty database by --from of this one.':
    'Ihr Protokoll mit mitschrift migrate --to dessen, das sie angelegt hat, in ein Verzeichnis bringen, und mit --from von diesem in eine leere Datenbank.',

  // Clock
  'Both say the same.': 'Beide sagen dasselbe.',
  'This machine’s clock is {seconds} s ahead of the database’s: sessions end early, and times of recordings are wrong.':
    'Die Uhr dieses Rechners geht der der Datenbank um {seconds} s vor: Sitzungen enden zu früh, und Zeiten von Aufnahmen stimmen nicht.',
  'This machine’s clock is {seconds} s behind the database’s: sessions end late, and times of recordings are wrong.':
    'Die Uhr dieses Rechners geht der der Datenbank um {seconds} s nach: Sitzungen enden zu spät, und Zeiten von Aufnahmen stimmen nicht.',
  'Have the clocks of all nodes and of the database set by the network.':
    'Die Uhren aller Knoten und der Datenbank über das Netz stellen lassen.',

  // Files
  '{where} can be written, and all nodes have it.':
    '{where} ist beschreibbar, und alle Knoten haben es.',
  'In {where} is nothing of these nodes: {nodes}.':
    'In {where} ist nichts von diesen Knoten: {nodes}.',
  'Mount the same directory, or name the same bucket, at all nodes, and start those that had another one again.':
    'An allen Knoten dasselbe Verzeichnis einhängen oder denselben Bucket nennen, und die neu starten, die einen anderen hatten.',
  'What is written to {where} is not there afterwards.':
    'Was nach {where} geschrieben wird, ist danach nicht da.',
  'The blob store {where} cannot be used now: {why}.':
    'Der Speicher {where} ist gerade nicht zu benutzen: {why}.',
  'No node has used {where} for this log.': 'Kein Knoten hat {where} für dieses Protokoll benutzt.',
  'Is it mounted, and what MITSCHRIFT_BLOBS_URL names at the others?':
    'Ist es eingehängt, und ist es, was MITSCHRIFT_BLOBS_URL an den anderen nennt?',
  'In {where} is a file {name} that is not ours.':
    'In {where} ist eine Datei {name}, die nicht von hier ist.',
  'Take another directory, bucket or prefix.':
    'Ein anderes Verzeichnis, Bucket oder Präfix nehmen.',
  '{where} has the files of another log ({log}); the database holds {ours}.':
    '{where} hat die Dateien eines anderen Protokolls ({log}); die Datenbank hat {ours}.',
  'Nothing was changed.': 'Nichts wurde geändert.',
  'Set MITSCHRIFT_BLOBS_URL to the store of this log, or to an empty one.':
    'MITSCHRIFT_BLOBS_URL auf den Speicher dieses Protokolls setzen oder auf einen leeren.',

  // Lists
  'No node takes in what is in the log.': 'Kein Knoten übernimmt, was im Protokoll steht.',
  'Start a node, of the newest release that there was.':
    'Einen Knoten starten, von der neuesten Version, die es gab.',
  '{node} takes in what is in the log.': '{node} übernimmt, was im Protokoll steht.',
  'They are {count} facts behind the log, which {node} takes in.':
    'Sie sind {count} Ereignisse hinter dem Protokoll zurück, das {node} übernimmt.',
  'Wait.': 'Warten.',
  'If they are more when you look again, see what the log of that node says, and what else the database is doing.':
    'Sind es beim nächsten Mal mehr, nachsehen, was das Protokoll dieses Knotens sagt und was die Datenbank sonst tut.',

  // Nodes
  'No node is there.': 'Kein Knoten ist da.',
  'Start one.': 'Einen starten.',
  'No node works on recordings, which wait: only {nodes}.':
    'Kein Knoten bearbeitet Aufnahmen, sie warten: nur {nodes}.',
  'Start a node with MITSCHRIFT_ROLE work or all.':
    'Einen Knoten mit MITSCHRIFT_ROLE work oder all starten.',
  'No node answers requests: only {nodes}.': 'Kein Knoten beantwortet Anfragen: nur {nodes}.',
  'Start a node with MITSCHRIFT_ROLE serve or all.':
    'Einen Knoten mit MITSCHRIFT_ROLE serve oder all starten.',
  'They are of several releases: {list}.': 'Sie sind von verschiedenen Versionen: {list}.',
  'Start the newest release at all nodes.': 'Auf allen Knoten die neueste Version starten.',
  'There are {nodes}.': 'Da sind {nodes}.',
  'Died or cut off within a day: {nodes}.':
    'Innerhalb eines Tages gestorben oder abgeschnitten: {nodes}.',
  'Start what is to be there again; what it was doing is done by the others.':
    'Wieder starten, was da sein soll; was er tat, tun die anderen.',
};

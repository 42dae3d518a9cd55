import type * as english from '../../features/buckets/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'Objekt', other: 'Objekte' })
const days = (n: number) => plural(n, { one: 'Tag', other: 'Tage' })

export const text: Translation<typeof english.text> = {
  // The list
  title: 'Buckets',
  create: 'Neuer Bucket',
  attach: 'Bucket einbinden',
  name: 'Name',
  objects: 'Objekte',
  used: 'Belegt',
  trash: 'Im Papierkorb',
  created: 'Erstellt',
  emptyTitle: 'Noch keine Buckets',
  emptyHint: 'Buckets enthalten Ihre Dateien. Jeder kann ein eigenes Kontingent haben.',
  noneVisible:
    'Sie haben noch auf keinen Bucket Zugriff. Bitten Sie einen Administrator, Sie einer Gruppe hinzuzufügen.',
  nameHint: '3–63 Zeichen: Kleinbuchstaben, Ziffern, Punkte und Bindestriche.',
  betterName: (name) => `„${name}“ verwenden`,
  nameShort: 'Verwenden Sie mindestens 3 Zeichen.',
  nameBad:
    'Verwenden Sie Kleinbuchstaben, Ziffern, Punkte und Bindestriche, am Anfang und Ende einen Buchstaben oder eine Ziffer. Keine zwei Punkte hintereinander, keine IP-Adressen.',
  quota: 'Kontingent (GB)',
  quotaHint: 'Leer lassen für unbegrenzt. 1 GB sind 1.073.741.824 Byte.',
  storageChoice: 'Wo die Daten liegen. Sie können später verschoben werden.',
  made: (name) => `Bucket ${name} erstellt`,
  filter: 'Nach Namen filtern',
  count: (n) => plural(n, { one: 'Bucket', other: 'Buckets' }),

  // Without permissions
  noGroupTitle: 'Sie gehören noch zu keiner Gruppe',
  noGroupHint:
    'Gruppen gewähren Berechtigungen. Bitten Sie einen Administrator, Sie einer hinzuzufügen. Sie müssen sich nicht neu anmelden.',
  noRightsTitle: 'Ihre Gruppen gewähren Ihnen noch keine Berechtigungen',
  noRightsHint: (groups) =>
    `Ihre Gruppen: ${groups}. Bitten Sie einen Administrator um Zugriff auf einen Bucket. Sie müssen sich nicht neu anmelden.`,
  yourAccount: 'Ihr Konto:',
  lookAgain: 'Noch einmal prüfen',

  // Overview of a bucket
  overview: 'Übersicht',
  upload: 'Hochladen',
  stored: 'Gespeichert',
  inTrash: 'Im Papierkorb',
  reserved: 'Für unfertige Uploads reserviert',
  facts: 'Über diesen Bucket',
  quotaFact: 'Kontingent',
  noQuota: 'Unbegrenzt',
  inVersions: 'In früheren Versionen',
  trashKeeps: 'Aufbewahrung im Papierkorb',
  trashOff: 'Aus',
  days,
  rights: 'Ihre Berechtigungen',
  free: (free) => `${free} frei`,
  usage: 'Nutzung',
  storedOverTime: 'Gespeichert im Zeitverlauf',
  transfer: (uploaded, downloaded) => `In diesem Zeitraum ${uploaded} hochgeladen und ${downloaded} heruntergeladen.`,
  activity: 'Letzte Aktivitäten',
  noActivity: 'Noch keine Aktivitäten.',
  when: 'Wann',
  who: 'Wer',
  what: 'Was',
  key: 'Schlüssel',
  result: 'Ergebnis',
  system: 'System',
  engine: 'Speicher-Engine',
  anonymous: 'Anonym',
  success: 'Erfolgreich',
  denied: 'Verweigert',
  failure: 'Fehlgeschlagen',

  // Settings of a bucket
  settings: 'Einstellungen',
  limits: 'Limits',
  below: (used) => `Weniger als schon belegt ist (${used}). Vorhandene Dateien bleiben; neue Uploads werden abgelehnt.`,
  trashDays: 'Aufbewahrung im Papierkorb (Tage)',
  trashHint: 'Wie lange gelöschte und ersetzte Dateien wiederhergestellt werden können. 0 schaltet den Papierkorb aus.',
  save: 'Speichern',
  saved: 'Einstellungen gespeichert',
  dirty: 'Nicht gespeicherte Änderungen',
  storage: 'Speicher',
  storageIs: 'Neue Daten kommen auf',
  storageOff: 'Dieser Speicher ist ausgeschaltet. Anfragen nach dem, was darauf liegt, werden mit 503 beantwortet.',
  moveOnly: 'Es gibt keinen anderen eingeschalteten Speicher.',
  move: 'In anderen Speicher verschieben',
  moveTitle: (bucket) => `${bucket} in einen anderen Speicher verschieben`,
  moveTo: 'Zielspeicher',
  moveAction: 'Bucket verschieben',
  moveNew: 'Neue Daten kommen von Anfang an dorthin. Der Bucket bleibt die ganze Zeit nutzbar.',
  moveCopied: 'Jedes Blob wird kopiert, noch einmal gelesen und mit seiner Prüfsumme verglichen.',
  moveOld: 'Die alten Daten werden nach der Karenzzeit gelöscht.',
  moveCancel: 'Wenn Sie abbrechen, bleibt dort, was schon verschoben ist. Ein neues Verschieben setzt das fort.',
  moveStarted: 'Der Bucket wird verschoben',
  // What an attached bucket shows
  source: 'Was er zeigt',
  engineBucket: 'Bucket auf der Engine',
  enginePrefix: 'Präfix',
  wholeBucket: 'Der ganze Bucket',
  listed: 'Aufgelistet',
  notListed: 'Noch nicht. Der erste Scan ist nicht abgeschlossen.',
  listedHint:
    'Größen, Anzahlen und Listen sind von diesem Zeitpunkt. Was Sie öffnen oder herunterladen, wird immer zuerst auf der Engine geprüft.',
  reported: 'Zuletzt gemeldete Änderung',
  notReported: 'Keine. Änderungen werden durch Scans gefunden.',
  weak: 'Diese Engine hat keine ETags. Eine Änderung, bei der Größe und Zeit eines Objekts gleich bleiben, wird nicht bemerkt.',
  sourceHint: 'Er ist schreibgeschützt: Auf der Engine wird von hier aus nie etwas geändert oder gelöscht.',
  sourceTakenOver: 'Wo die älteren Daten liegen',
  takenOver: 'Übernommen',
  compared: 'Verglichen',
  takenOverHint:
    'Was bei der Übernahme dort lag, bleibt dort und wird dort gelöscht, sobald hier nichts mehr es braucht. Neue Daten kommen nicht dorthin.',
  findingsTitle: (n) =>
    `Andere haben ${plural(n, { one: 'Schlüssel', other: 'Schlüssel' })} dort geändert, wo dieser Bucket übernommen wurde`,
  findingsHint: 'Einige seiner Objekte sind jetzt vielleicht nicht mehr lesbar.',
  findingsOpen: 'Befunde ansehen',
  release: 'Bucket abgeben',
  releaseHint: (n) =>
    `Löst den Bucket und vergisst ${objects(n)}. Alles bleibt auf der S3-Engine. Freigabelinks darauf funktionieren nicht mehr.`,
  releaseAdmins: 'Nur Administratoren können ihn abgeben.',
  releaseTitle: (bucket) => `${bucket} abgeben?`,
  releaseStays: 'Alles bleibt auf der S3-Engine. Dort wird nichts geändert.',
  releaseEnds: 'Freigabelinks und signierte URLs zu seinen Objekten funktionieren nicht mehr.',
  releaseTags: 'Tags, die hier gesetzt wurden, gehen verloren.',
  releaseAgain: 'Sie können ihn jederzeit wieder einbinden.',
  released: (bucket, n) =>
    `Bucket ${bucket} abgegeben. ${objects(n)} ${n === 1 ? 'bleibt' : 'bleiben'} auf der S3-Engine.`,
  danger: 'Gefahrenzone',
  emptyBucket: 'Bucket leeren',
  emptyBucketHint: (n, size) => `Löscht im Hintergrund ${n === 1 ? objects(n) : `alle ${objects(n)}`} (${size}).`,
  emptyVersionsHint: (n, size) =>
    `Löscht im Hintergrund ${n === 1 ? objects(n) : `alle ${objects(n)}`} und jede frühere Version (${size}).`,
  emptyNothing: 'Dieser Bucket ist leer.',
  emptyTrash: (n) =>
    n === 0
      ? 'Der Papierkorb ist ausgeschaltet. Sie können also nicht wiederhergestellt werden.'
      : `Sie können ${days(n)} lang aus dem Papierkorb wiederhergestellt werden.`,
  emptyBucketTitle: (bucket) => `${bucket} leeren?`,
  emptyStarted: 'Der Bucket wird geleert',
  remove: 'Bucket löschen',
  removeHint: 'Löscht auch seinen Papierkorb. Der Name wird wieder frei.',
  removeFirst: (n) => `Nur ein leerer Bucket kann gelöscht werden. Dieser enthält ${objects(n)}.`,
  removeTitle: (bucket) => `${bucket} löschen?`,
  removeText: (trash) => `Löscht den Bucket und seinen Papierkorb (${trash}) endgültig.`,
  removed: (bucket) => `Bucket ${bucket} gelöscht`,
  needsManage: 'Erfordert die Berechtigung „manage“ für diesen Bucket.',
}

import type * as english from '../../features/storages/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const buckets = (n: number) => plural(n, { one: 'Bucket', other: 'Buckets' })

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Speicher',
  hint: 'Orte für die Daten von Buckets: S3-kompatible Engines und Ordner.',
  add: 'Speicher hinzufügen',
  // The list
  name: 'Name',
  isDefault: 'Standard',
  kind: 'Art',
  kindName: (kind) => ({ s3: 'S3', file: 'Ordner' })[kind],
  where: 'Ort',
  aws: 'AWS',
  buckets: 'Buckets',
  used: 'Belegt',
  health: 'Zustand',
  reachable: 'Erreichbar',
  reachedIn: (ms) => `Antwort nach ${formatCount(ms)} ms`,
  slow: 'Langsam',
  unreachable: 'Nicht erreichbar',
  noticed: 'Bemerkt',
  off: 'Ausgeschaltet',
  checking: 'Wird geprüft …',
  free: 'Frei',
  // What is attached to it
  attached: 'Eingebundene Buckets',
  attachedNone: 'Keine',
  attach: 'Bucket einbinden',
  // One storage
  about: 'Über diesen Speicher',
  created: 'Erstellt',
  defaultHint: 'Mit STORAGE_URL konfiguriert. Er kann hier also nicht geändert oder gelöscht werden.',
  connection: 'Verbindung',
  save: 'Speichern',
  saved: 'Speicher gespeichert',
  refused: 'Nichts wurde gespeichert',
  danger: 'Gefahrenzone',
  turnOff: 'Ausschalten',
  turnOffHint:
    'Solange er aus ist, werden Anfragen nach dem, was darauf liegt, mit 503 beantwortet. Nichts darauf wird geändert.',
  turnOffTitle: (name) => `${name} ausschalten?`,
  turnOffText: (n) =>
    n === 0
      ? 'Er kann nicht verwendet werden, bis er wieder eingeschaltet wird. Anfragen nach dem, was darauf liegt, werden mit 503 beantwortet.'
      : `Anfragen nach dem, was darauf liegt, werden mit 503 beantwortet, bis er wieder eingeschaltet wird. Das betrifft ${buckets(n)}.`,
  turnedOff: (name) => `${name} ausgeschaltet`,
  turnOn: 'Einschalten',
  isOff: 'Dieser Speicher ist ausgeschaltet. Anfragen nach dem, was darauf liegt, werden mit 503 beantwortet.',
  turnedOn: (name) => `${name} eingeschaltet`,
  remove: 'Speicher löschen',
  removeHint: 'Entfernt ihn aus dieser Liste. Andere Objekte am selben Ort bleiben.',
  removeFirst: (n) =>
    `Nur ein Speicher ohne Buckets kann gelöscht werden. Zuerst zu verschieben oder abzugeben: ${buckets(n)}.`,
  removeTitle: (name) => `${name} löschen?`,
  removeText: 'Entfernt den Speicher und seine Zugangsdaten aus Strongroom. Andere Objekte am selben Ort bleiben.',
  removed: 'Speicher gelöscht',
}

export const roomText: Translation<typeof english.roomText> = {
  title: 'Speicherplatz',
  of: (disk) => ({ database: 'Datenbank', storage: 'Objekte' })[disk],
  both: 'Datenbank und Objekte',
  free: 'Frei:',
  state: (state) => ({ room: 'Genug', nearly_full: 'Wird knapp', short: 'Fast voll' })[state],
  refused: 'Uploads werden abgelehnt, bis wieder Platz ist. Downloads, Anmelden und Löschen gehen weiterhin.',
  soon: 'Weniger als ein Zehntel der Festplatte ist frei. Ist sie fast voll, werden Uploads abgelehnt.',
  emptyTrash: 'Papierkorb leeren.',
  emptyTrashHint: 'Solange die Festplatte fast voll ist, wird der Platz sofort frei, sonst nach der Schonfrist.',
  cleanUp: 'Löschen, was nicht gebraucht wird,',
  cleanUpHint:
    'zum Beispiel mit einer Aufräumregel, und dann den Papierkorb leeren. Versionen und gesperrte Objekte bleiben bis zu ihrer Zeit.',
  move: 'Einen Speicher mit Platz hinzufügen',
  moveHint: 'und einen Bucket dorthin verschieben, in den Einstellungen des Buckets.',
  enlarge: 'Oder die Festplatte vergrößern. Ein Neustart ist nicht nötig.',
}

export const formText: Translation<typeof english.formText> = {
  newTitle: 'Speicher hinzufügen',
  newHint: 'Dort wird nichts geschrieben, bevor der erste Bucket darauf erstellt wird.',
  place: 'Ort',
  nameHint: 'Kleinbuchstaben, Ziffern, Bindestriche. Kann nicht geändert werden.',
  nameBad:
    'Verwenden Sie bis zu 63 Kleinbuchstaben, Ziffern und Bindestriche, am Anfang und Ende einen Buchstaben oder eine Ziffer.',
  endpoint: 'Endpunkt',
  endpointHint: 'URL der S3-Engine, mit http:// oder https://. Leer lassen für AWS.',
  region: 'Region',
  bucket: 'Bucket',
  prefix: 'Präfix',
  prefixHint: 'Leer lassen für den ganzen Bucket.',
  style: 'Adressierung',
  styleName: (style) => ({ auto: 'Automatisch', path: 'Bucket im Pfad', host: 'Bucket im Hostnamen' })[style],
  styleHint: 'Automatisch: im Pfad, wenn ein Endpunkt angegeben ist.',
  folder: 'Ordner',
  folderHint: 'Ein absoluter Pfad in einem der Ordner, die STORAGE_FOLDERS nennt.',
  credentials: 'Zugangsdaten',
  credentialsHint: 'Leer lassen für die üblichen Quellen des AWS SDK.',
  keyId: 'Zugriffsschlüssel-ID',
  secret: 'Geheimer Zugriffsschlüssel',
  secretHint: 'Wird verschlüsselt gespeichert und nie angezeigt.',
  badForm: 'Ungültiges Format.',
  action: 'Speicher hinzufügen',
  refused: 'Dieser Speicher kann nicht hinzugefügt werden',
  added: (name) => `Speicher ${name} hinzugefügt`,
}

export const testText: Translation<typeof english.testText> = {
  title: 'Test',
  hint: 'Probiert alles aus, was ein Bucket braucht. Nichts davon bleibt dort.',
  hintSaved: 'Probiert die gespeicherten Einstellungen aus. Nichts davon bleibt dort.',
  action: 'Testen',
  again: 'Noch einmal testen',
  passed: 'Test bestanden',
  warned: 'Mit Warnungen bestanden',
  failed: 'Test fehlgeschlagen',
  stale: 'Die Einstellungen haben sich seit diesem Test geändert.',
  checks: 'Prüfungen',
  check: (name) =>
    ({
      reach: 'Verbindung',
      list: 'Objekte auflisten',
      order: 'Reihenfolge der Schlüssel',
      head: 'Eigenschaften',
      read: 'Lesen',
      if_match: 'Bedingungen',
      clock: 'Uhr',
      versioning: 'Versionen',
      write: 'Schreiben und löschen',
    })[name],
  status: (status) =>
    ({ passed: 'Bestanden', warning: 'Warnung', failed: 'Fehlgeschlagen', skipped: 'Übersprungen' })[status],
  preview: 'Erste Objekte',
  key: 'Schlüssel',
  size: 'Größe',
  modified: 'Geändert',
}

export const eventsText: Translation<typeof english.eventsText> = {
  title: 'Ereignisbenachrichtigungen',
  on: 'Token festgelegt',
  off: 'Aus',
  hintOff:
    'Mit einem Token kann die S3-Engine Änderungen in eingebundenen Buckets sofort melden. Ohne Token werden sie durch stündliche Scans gefunden.',
  hintOn:
    'Die S3-Engine kann Änderungen in eingebundenen Buckets sofort melden. Scans laufen weiter, einmal täglich, solange Meldungen eintreffen.',
  create: 'Token erstellen',
  replace: 'Token ersetzen',
  replaceTitle: 'Dieses Token ersetzen?',
  replaceText:
    'Meldungen mit dem aktuellen Token werden ab jetzt abgelehnt. Konfigurieren Sie die Engine mit dem neuen.',
  delete: 'Token löschen',
  deleteTitle: 'Dieses Token löschen?',
  deleteText: 'Meldungen der Engine werden abgelehnt. Änderungen werden durch stündliche Scans gefunden.',
  deleted: 'Token gelöscht',
  token: 'Token',
  url: 'URL für die Engine',
  bearer:
    'Konfigurieren Sie die Engine so, dass sie ihre Ereignisbenachrichtigungen an diese URL sendet, mit dem Token als Bearer-Token.',
  urlWithToken: 'URL mit enthaltenem Token',
  inUrl: 'Für Engines, die kein eigenes Token senden können, wie Ceph.',
}

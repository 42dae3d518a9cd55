import type * as english from '../../features/search/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'Objekt', other: 'Objekte' })

export const text: Translation<typeof english.text> = {
  title: 'Suche',
  field: 'In allen Buckets suchen',
  allFor: (query) => `In allen Buckets nach „${query}“ suchen`,
  inAll: 'In allen Buckets',
  exportList: 'Liste exportieren',
  exportStreams: 'Alles Gefundene wird beim Eintreffen in eine Datei geschrieben.',
  exportHolds: 'Alles Gefundene. Dieser Browser hält die Datei im Arbeitsspeicher, bis sie vollständig ist.',
  csv: 'CSV, für Tabellenprogramme',
  ndjson: 'NDJSON, mit genauen Pfaden',
  exported: (name) => `${name} gespeichert`,
  found: (n, isExact) => (isExact ? `${objects(n)} gefunden` : `Mindestens ${objects(n)} gefunden`),
  results: 'Suchergebnisse',
  place: 'Ort',
  searching: 'Suche läuft …',
  // What is not understood
  notUnderstood: (part) => `„${part}“ ist nicht zu verstehen.`,
  searchInstead: (query) => `${query} verwenden`,
  suggestions: 'Vorschläge',
  fieldOf: (field) =>
    ({
      name: 'Dateiname',
      key: 'Ganzer Pfad',
      prefix: 'Ordner',
      ext: 'Dateiendung',
      type: 'Inhaltstyp',
      kind: 'Art der Datei',
      size: 'Größe',
      modified: 'Letzte Änderung',
      created: 'Erster Upload',
      tag: 'Tag',
      meta: 'Metadaten',
      by: 'Hochgeladen von',
      encrypted: 'Verschlüsselung',
      storage: 'Speicherklasse',
      bucket: 'Bucket',
    })[field],
  // Attached buckets
  unread: 'Diese Buckets konnten nicht ganz durchsucht werden:',
  unreadIn: (n, isExact) =>
    `${isExact ? '' : 'mindestens '}${plural(n, { one: 'Objekt wurde', other: 'Objekte wurden' })} noch nicht gelesen: Tags, Metadaten und Typen finden sie nicht.`,
  moreBuckets: (n) => `und ${plural(n, { one: 'weiterer Bucket', other: 'weitere Buckets' })}`,
  // Before anything is searched for
  startTitle: 'Objekte in allen Buckets finden',
  startHint: 'Suchen Sie nach einem Teil eines Namens oder kombinieren Sie Begriffe wie diese:',
  exampleTag: 'Mit dem Tag „project“ und dem Wert „apollo“',
  examplePictures: 'Bilder, in den letzten 7 Tagen geändert',
  exampleLarge: (size) => `PDF-Dateien über ${size}`,
  nothingHint:
    'Gefunden werden nur Objekte, die Sie auflisten können. Prüfen Sie die Begriffe oder entfernen Sie einen.',
  clear: 'Suche löschen',
  keyField: 'Suchen',
  keyOpen: 'Öffnen',
  keyMove: 'Cursor bewegen',
}

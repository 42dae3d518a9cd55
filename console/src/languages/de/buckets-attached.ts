import type * as english from '../../features/buckets/attached-messages.ts'
import { plural, type Translation } from '../../i18n.ts'

export const takeOverText: Translation<typeof english.takeOverText> = {
  title: 'Übernehmen',
  cardHint:
    'Die Objekte werden ohne Kopieren zu eigenen des Buckets. Sie können dann hier umbenannt, überschrieben und gelöscht werden. Andere dürfen dort nicht mehr schreiben.',
  open: 'Übernehmen …',
  adminsOnly: 'Nur Administratoren können ihn übernehmen.',
}

export const releaseText: Translation<typeof english.releaseText> = {
  title: 'Abgeben',
  hint: 'Schreibt jedes Objekt unter seinem eigenen Schlüssel in einen S3-Speicher. Danach ist der Bucket schreibgeschützt und zeigt die Objekte dort.',
  open: 'Bucket abgeben …',
  adminsOnly: 'Nur Administratoren können ihn abgeben.',
  heading: (bucket) => `${bucket} abgeben`,
  storage: 'Objekte schreiben in',
  prefix: 'Präfix',
  prefixHint: (place) => `Darunter darf noch nichts liegen. Ohne Präfix ist das ${place}.`,
  noStorage: 'Kein S3-Speicher ist eingeschaltet. Fügen Sie zuerst einen hinzu.',
  check: 'Prüfen',
  refused: 'Der Bucket kann nicht abgegeben werden',
  willWrite: (n, size) =>
    `${plural(n, { one: 'Objekt', other: 'Objekte' })} (${size}): Jedes wird dort mit Typ, Headern, Metadaten und Tags geschrieben, dann noch einmal gelesen und verglichen.`,
  willLock:
    'Währenddessen kann der Bucket gelesen, aber nicht geändert werden. Wenn Sie den Auftrag abbrechen, bleibt er übernommen.',
  willEnd: 'Am Ende ist er schreibgeschützt und zeigt die Objekte dort. Ein zweites Abgeben vergisst ihn dann.',
  willStay: 'Am alten Ort wird nichts gelöscht. Löschen Sie es dort, wenn Sie es nicht mehr brauchen.',
  start: 'Abgeben starten',
  started: 'Der Bucket wird abgegeben',
}

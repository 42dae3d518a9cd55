import type * as english from '../../features/home/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Start',
  // First steps
  firstSteps: 'Einrichtung abschließen',
  progress: (done, all) => `${formatCount(done)} von ${formatCount(all)} erledigt`,
  hide: 'Ausblenden',
  password: 'Generiertes Passwort ersetzen',
  passwordHint: 'Der Dienst hat es ausgegeben, es kann also in einem Protokoll stehen.',
  bucket: 'Bucket erstellen',
  bucketHint: 'Oder binden Sie einen ein, der schon auf einer S3-Engine liegt.',
  people: 'Benutzer hinzufügen',
  peopleHint: 'Erstellen Sie Konten und Gruppen, die festlegen, wer was darf.',
  sso: 'Single Sign-on einrichten',
  ssoHint: 'Benutzer melden sich mit den Konten an, die sie schon haben.',
  client: 'S3-Client verbinden',
  clientHint: 'Erstellen Sie einen Zugriffsschlüssel für rclone, die AWS CLI oder Ihr Backup.',
  webhook: 'Ereignisse an einen Webhook senden',
  webhookHint: 'Informieren Sie Ihre eigenen Dienste über Änderungen.',
  done: 'Erledigt',
  open: 'Offen',
  // Key figures
  buckets: 'Buckets',
  objects: 'Objekte',
  stored: 'Gespeichert',
  inTrash: 'Im Papierkorb',
  withoutFolders: 'Ohne Buckets, in denen Sie nur Ordner haben',
  // Attention
  attention: 'Erfordert Aufmerksamkeit',
  nothing: 'Nichts erfordert Ihre Aufmerksamkeit.',
  diskShort: 'Die Festplatte ist fast voll. Uploads werden abgelehnt, bis wieder Platz ist.',
  diskNearlyFull: (free) => `Die Festplatte füllt sich: Noch ${free} sind frei.`,
  storageDown: (name) => `Der Speicher ${name} ist nicht erreichbar.`,
  historyFull: (bucket) => `Snapshots von ${bucket} behalten mehr als das Limit. Neue entstehen nicht.`,
  full: (bucket) => `${bucket} ist voll. Neue Uploads werden abgelehnt.`,
  nearlyFull: (bucket, share) => `${bucket} ist zu ${share} voll.`,
  webhookOff: (name) => `Der Webhook ${name} wurde deaktiviert, weil er zu oft fehlgeschlagen ist.`,
  webhookFailing: (name) => `Der Webhook ${name} schlägt fehl. Erster Fehler:`,
  webhookFails: (name, n) =>
    `${plural(n, { one: 'Zustellung', other: 'Zustellungen' })} an den Webhook ${name} in den letzten 24 Stunden fehlgeschlagen.`,
  tokenExpires: (name) => `Das Zugriffstoken ${name} läuft bald ab:`,
  keyExpires: (name) => `Der Zugriffsschlüssel ${name} läuft bald ab:`,
  scanHeld: (bucket) => `Ein Scan von ${bucket} wartet auf Bestätigung.`,
  findings: (bucket, n) =>
    `Andere haben ${plural(n, { one: 'Objekt', other: 'Objekte' })} von ${bucket} auf der Engine geändert.`,
  // Work in progress, buckets
  running: 'Laufende Aufträge',
  largest: 'Größte Buckets',
  allBuckets: 'Alle Buckets',
}

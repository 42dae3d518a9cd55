import type * as english from '../../features/attached/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'Objekt', other: 'Objekte' })

export const text: Translation<typeof english.text> = {
  right: 'admin',
  title: 'Bucket einbinden',
  hint: 'Zeigt hier einen Bucket einer S3-Engine, schreibgeschützt. Nichts darin wird kopiert, geändert oder gelöscht.',
  step: (step) => ({ place: 'Speicher', test: 'Test', name: 'Name', scan: 'Erster Scan' })[step],
  back: 'Zurück',
  // Storage
  placeTitle: 'Wo liegen die Objekte?',
  from: 'Speicher',
  registered: 'Registrierter Speicher',
  new: 'Neuer Speicher',
  prefix: 'Präfix',
  prefixHint: (location) => `Leer lassen für alles in ${location}.`,
  newHint: 'Verwenden Sie Zugangsdaten, die auflisten und lesen können und sonst nichts.',
  goTest: 'Verbindung testen',
  // Test
  testHint: (location) => `Was nötig ist, um ${location} schreibgeschützt zu zeigen.`,
  testAgain: 'Noch einmal testen',
  testFailed: 'Fehlgeschlagene Prüfungen müssen behoben werden, bevor dieser Bucket eingebunden werden kann.',
  testWarned: 'Er kann eingebunden werden. Lesen Sie zuerst die Warnungen.',
  noObjects: 'Hier liegen noch keine Objekte. Später hinzugefügte erscheinen von selbst.',
  next: 'Weiter',
  // Name
  nameTitle: 'Wie soll er hier heißen?',
  bucketName: 'Bucket-Name',
  bucketHint: 'Benutzer, Freigabelinks und S3-Clients sehen diesen Namen. Er kann nicht geändert werden.',
  storageName: 'Speichername',
  storageHint: 'Für Administratoren. Der Speicher wird mit diesem Namen in die Liste der Speicher aufgenommen.',
  shows: 'Zeigt',
  onStorage: 'Auf Speicher',
  attach: 'Bucket einbinden',
  storageRefused: 'Der Speicher kann nicht hinzugefügt werden',
  bucketRefused: 'Der Bucket kann nicht eingebunden werden',
  storageKept: (name) => `Speicher ${name} wurde hinzugefügt und ist ausgewählt. Sie müssen nichts neu eingeben.`,
  attached: (bucket) => `Bucket ${bucket} eingebunden`,
  // First scan
  scanTitle: (bucket) => `${bucket} ist eingebunden`,
  scanWaits: 'Der erste Scan beginnt gleich.',
  scanRuns: 'Der erste Scan sucht die Objekte. Sie können diese Seite verlassen und den Bucket verwenden.',
  scanEnds: (n) => `Der erste Scan ist abgeschlossen: ${objects(n)}.`,
  scanHeld: 'Der erste Scan wurde angehalten.',
  browse: 'Bucket öffnen',
  scans: 'Scans ansehen',
}

export const scanText: Translation<typeof english.scanText> = {
  title: 'Scans',
  hint: 'Ein Scan vergleicht diesen Bucket mit dem, was die S3-Engine auflistet.',
  hintTakenOver:
    'Ein Scan vergleicht, was übernommen wurde, mit dem, was die S3-Engine auflistet. Was andere dort geändert haben, ist ein Befund.',
  scanNow: 'Jetzt scannen',
  started: 'Scan gestartet',
  notAttached: 'Dieser Bucket ist nicht eingebunden',
  notAttachedHint: 'Nur Buckets, die Objekte einer S3-Engine zeigen, werden gescannt.',
  needsManage: 'Erfordert die Berechtigung „manage“ für diesen Bucket.',
  none: 'Noch keine Scans',
  // One that runs
  active: (status) => (status === 'queued' ? 'Scan wartet' : 'Scan läuft'),
  progress: 'Fortschritt des Scans',
  reading: 'Jedes Objekt wird bei der Engine abgefragt',
  marking: (n) => `Prüfung läuft: ${objects(n)}, von der Engine nicht aufgelistet`,
  at: 'Bei',
  // The list
  when: 'Begonnen',
  trigger: 'Anlass',
  triggers: (trigger) =>
    ({ attach: 'Erster Scan', request: 'Angefordert', schedule: 'Nach Zeitplan', take_over: 'Übernahme' })[trigger],
  status: 'Status',
  statuses: (status) =>
    ({
      queued: 'Wartet',
      running: 'Läuft',
      succeeded: 'Erfolgreich',
      held: 'Angehalten',
      superseded: 'Überholt',
    })[status],
  result: 'Ergebnis',
  took: 'Dauer',
  details: (when) => `Details zum Scan vom ${when}`,
  listed: (n) => `${objects(n)} aufgelistet`,
  added: (n) => `${formatCount(n)} neu`,
  changed: (n) => `${formatCount(n)} geändert`,
  foreign: (n) => `${formatCount(n)} fremd`,
  changedByOthers: (n) => `${formatCount(n)} von anderen geändert`,
  absent: (n) => `${formatCount(n)} nicht aufgelistet`,
  missing: (n) => plural(n, { one: 'fehlt', other: 'fehlen' }),
  removed: (n) => `${formatCount(n)} entfernt`,
  refused: (n) => `${formatCount(n)} nicht darstellbar`,
  missingHint:
    'Fehlende Objekte werden entfernt, wenn ein zweiter Scan und eine letzte Prüfung sie nicht finden, frühestens 24 Stunden später.',
  why: 'Was nicht stimmt',
  by: 'Angefordert von',
  confirmedBy: 'Bestätigt von',
  lastKey: 'Letzter Schlüssel',
  finished: 'Beendet',
  refusedTitle: 'Objekte, die nicht dargestellt werden können',
  refusedFirst: (shown, all) => `Die ersten ${formatCount(shown)} von ${formatCount(all)}.`,
  key: 'Schlüssel',
  reason: 'Grund',
  // One that is held
  held: (reason) =>
    ({
      many_missing: 'Ein Scan wurde angehalten: Viele Objekte fehlen',
      empty: 'Ein Scan wurde angehalten: Die Engine listet keine Objekte auf',
      listing_failed: 'Ein Scan wurde angehalten: Die Liste der Engine ist unvollständig',
      disordered: 'Ein Scan wurde angehalten: Die Liste der Engine ist nicht sortiert',
      changed: 'Nicht übernommen: Andere haben etwas geändert',
      unreadable: 'Nicht übernommen: Ein Objekt kann nicht gelesen werden',
    })[reason],
  notTakenOver: 'Der Bucket ist weiter schreibgeschützt, und auf der Engine wurde nichts geändert.',
  untouched: 'Nichts wurde als fehlend markiert. Alles wird also weiter angezeigt.',
  advice: (reason) =>
    ({
      many_missing: 'Wenn sie noch da sind, prüfen Sie den Speicher und scannen Sie noch einmal.',
      empty:
        'Wenn er absichtlich geleert wurde, bestätigen Sie den Scan. Sonst prüfen Sie den Speicher und scannen Sie noch einmal.',
      listing_failed: 'Prüfen Sie den Speicher und scannen Sie noch einmal.',
      disordered: 'Diese Engine kann nicht gescannt werden, solange sie Schlüssel unsortiert auflistet.',
      changed:
        'Was sie geändert haben, wird inzwischen angezeigt. Finden Sie heraus, wer dort noch schreibt, bevor Sie ihn erneut übernehmen.',
      unreadable: 'Prüfen Sie das Objekt und die Zugangsdaten auf der Engine und übernehmen Sie ihn dann erneut.',
    })[reason],
  absences: (n) => `Würden als fehlend markiert: ${objects(n)}`,
  noAbsences: 'Alle sind inzwischen wieder da. Scannen Sie noch einmal.',
  size: 'Größe',
  modified: 'Geändert',
  confirm: 'Scan bestätigen …',
  confirmAdmins: 'Nur Administratoren können ihn bestätigen.',
  confirmWaits: 'Warten Sie, bis der laufende Scan beendet ist.',
  confirmTitle: (n) => `${objects(n)} als fehlend markieren?`,
  confirmLook: 'Jedes wird vorher noch einmal auf der Engine geprüft. Was da ist, bleibt.',
  confirmEffect:
    'Fehlende Objekte können nicht geöffnet oder heruntergeladen werden. Freigabelinks darauf zeigen, dass die Datei nicht mehr da ist.',
  confirmLater:
    'Sie werden samt Links und Tags entfernt, wenn auch ein weiterer Scan sie nicht findet, frühestens 24 Stunden später.',
  confirmAction: 'Als fehlend markieren',
  confirmed: 'Scan bestätigt',
  toStorage: 'Speicher öffnen',
}

export const takeOverText: Translation<typeof english.takeOverText> = {
  right: 'admin',
  title: 'Übernehmen',
  heading: (bucket) => `${bucket} übernehmen`,
  intro: 'Die Objekte werden zu eigenen dieses Buckets. Dabei wird nichts kopiert: Die Daten bleiben, wo sie sind.',
  // What it is about
  objects: 'Objekte',
  objectsOf: (n, size) => `${objects(n)}, ${size}`,
  place: 'Daten bleiben auf',
  requests: 'Anfragen vorab',
  requestsOf: (n) =>
    n === 0 ? 'Keine' : `${plural(n, { one: 'Anfrage', other: 'Anfragen' })}: Jedes Objekt wird abgefragt.`,
  quietSince: 'Unverändert seit',
  notScanned: 'Noch nicht bekannt',
  storage: 'Speicher für neue Daten',
  storageHint: 'Dort liegen Uploads und neue Versionen.',
  quiet: 'Stunden ohne Änderungen',
  quietHint: 'So lange dürfen Scans keine Änderung durch andere gefunden haben.',
  // What happens
  happens: 'Was geschieht',
  willCompare:
    'Jedes Objekt wird abgefragt, dann vergleicht ein letzter Scan die Liste. Wenn andere etwas geändert haben, bleibt der Bucket schreibgeschützt.',
  willWork: (storage) =>
    `Danach funktioniert er wie jeder andere Bucket, mit Kontingent, Papierkorb, Versionen, Uploads und Bereinigungsrichtlinien. Neue Daten kommen auf Speicher ${storage}.`,
  willDelete:
    'Was hier gelöscht oder überschrieben wird, wird auch auf der Engine gelöscht, nach Papierkorb und Karenzzeit.',
  willFind: 'Was andere dort danach ändern, wird als Befund angezeigt. Es wird nie übernommen.',
  // Whether it can be
  checkAgain: 'Noch einmal prüfen',
  ready: 'Er kann übernommen werden.',
  notReady: 'Er kann noch nicht übernommen werden',
  problem: (code) =>
    ({
      not_scanned: 'Noch kein Scan ist abgeschlossen',
      not_quiet: 'Noch nicht lange genug unverändert',
      scan_held: 'Der letzte Scan ist angehalten',
      missing: 'Objekte fehlen',
      weak: 'Die Engine hat keine ETags',
      not_removable: 'Die Zugangsdaten können nicht löschen',
      unreachable: 'Die Engine antwortet nicht richtig',
    })[code],
  busy: 'Ein Scan läuft. Warten Sie, bis er beendet ist.',
  failed: 'Das kann nicht geprüft werden',
  missing: (n) => `${objects(n)} als fehlend markiert`,
  moreMissing: (n) => `Und ${formatCount(n)} weitere`,
  withoutMissing: 'Ohne sie übernehmen',
  withoutMissingHint:
    'Sie werden noch einmal gesucht. Was nicht mehr da ist, vergisst der Bucket, und die Links darauf enden.',
  confirmed: 'Andere schreiben nicht mehr an diesen Ort',
  confirmedHint: 'Auch keine Anwendungen, Backups und Lebenszyklusregeln auf der Engine.',
  start: 'Übernehmen',
  started: 'Der Bucket wird übernommen',
  back: 'Zurück',
  scans: 'Scans ansehen',
  settings: 'Einstellungen',
  browse: 'Bucket öffnen',
  // While it runs
  runs: (bucket) => `${bucket} wird übernommen`,
  waits: 'Der Scan beginnt gleich.',
  readingHint: 'Schritt 1 von 2: Jedes Objekt wird abgefragt.',
  listingHint: 'Schritt 2 von 2: Die Liste der Engine wird verglichen.',
  runsHint: 'Wenn andere etwas geändert haben, bleibt der Bucket schreibgeschützt. Sie können diese Seite verlassen.',
  // The end
  done: (bucket) => `${bucket} wurde übernommen`,
  doneHint: (storage) =>
    `Seine Objekte können jetzt hier geändert und gelöscht werden. Neue Daten kommen auf Speicher ${storage}; ältere bleiben, wo sie sind.`,
  doneTrash: (days) =>
    days === 0
      ? 'Sein Papierkorb ist aus. Papierkorb und Kontingent finden Sie in seinen Einstellungen.'
      : `Sein Papierkorb bewahrt Dateien ${plural(days, { one: 'Tag', other: 'Tage' })} lang auf. Papierkorb und Kontingent finden Sie in seinen Einstellungen.`,
  notAttached: 'Dieser Bucket ist nicht eingebunden',
  notAttachedHint: 'Nur Buckets, die Objekte einer S3-Engine zeigen, können übernommen werden.',
}

export const findingText: Translation<typeof english.findingText> = {
  title: 'Befunde',
  hint: 'Was andere auf der Engine geändert haben, seit dieser Bucket übernommen wurde. Es gelangt nie in den Bucket.',
  none: 'Keine Befunde',
  noneHint: 'Nach dem letzten Scan haben andere dort, wo dieser Bucket übernommen wurde, nichts geändert.',
  notTakenOver: 'Dieser Bucket wurde nicht übernommen',
  notTakenOverHint: 'Befunde sind Änderungen durch andere in Buckets, die übernommen wurden.',
  meaning: 'Was sie bedeuten',
  list: 'Gefunden',
  kind: 'Art',
  kinds: (kind) => ({ changed: 'Geändert', missing: 'Fehlt', foreign: 'Fremd' })[kind],
  meanings: (kind) =>
    ({
      changed:
        'Andere haben es auf der Engine überschrieben. Wenn die Engine Versionen aufbewahrt, ist das Objekt noch lesbar; sonst laden Sie es noch einmal hoch oder löschen Sie es hier.',
      missing:
        'Andere haben es auf der Engine gelöscht. Wenn die Engine Versionen aufbewahrt, ist das Objekt noch lesbar; sonst laden Sie es noch einmal hoch oder löschen Sie es hier.',
      foreign:
        'Andere haben es auf der Engine hinzugefügt. Hier wird es nicht angezeigt: Wenn Sie es brauchen, laden Sie es hier hoch und löschen Sie es dann dort.',
    })[kind],
  key: 'Schlüssel auf der Engine',
  object: 'Objekt hier',
  noObject: 'Kein aktuelles Objekt',
  size: 'Größe jetzt',
  gone: 'Weg',
  found: 'Gefunden',
  most: 'Die ersten 1.000 sind aufgelistet. Die Zahlen stehen beim letzten Scan.',
  toScans: 'Scans ansehen',
  ends: 'Ein Befund verschwindet, sobald ein Scan ihn nicht mehr findet.',
}

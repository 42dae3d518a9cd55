import type * as english from '../../features/uploads/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const files = (n: number) => plural(n, { one: 'Datei', other: 'Dateien' })

export const text: Translation<typeof english.text> = {
  files,
  // Dialog
  title: 'Hochladen',
  target: 'Ziel',
  dropHere: 'Dateien oder Ordner hierher ziehen',
  chooseFiles: 'Dateien auswählen',
  chooseFolder: 'Ordner auswählen',
  reading: (n) => (n === 0 ? 'Dateien werden gelesen …' : `Dateien werden gelesen: bisher ${files(n)} …`),
  chosen: (n, size) => `${files(n)}, ${size}`,
  more: (n) => `und ${formatCount(n)} weitere`,
  startOver: 'Leeren',
  hidden: 'Versteckte Dateien überspringen',
  hiddenHint: 'Dateien, die mit einem Punkt beginnen, und Systemdateien wie Thumbs.db.',
  leftOut: (n) => `${plural(n, { one: 'versteckte Datei', other: 'versteckte Dateien' })} übersprungen`,
  emptyFolders: (n) => `${plural(n, { one: 'leerer Ordner', other: 'leere Ordner' })} übersprungen`,
  notRead: (n) =>
    n === 1
      ? 'Der Browser kann 1 Element nicht lesen. Es wird nicht hochgeladen:'
      : `Der Browser kann ${formatCount(n)} Elemente nicht lesen. Sie werden nicht hochgeladen:`,
  sameName: (n) =>
    n === 1
      ? 'Für 1 Namen wurden zwei verschiedene Dateien gewählt. Nur die spätere wird hochgeladen:'
      : `Für ${formatCount(n)} Namen wurden je zwei verschiedene Dateien gewählt. Nur die späteren werden hochgeladen:`,
  nothing: 'Keine Dateien gefunden.',
  willResume: (n, sent, all) =>
    n === 1
      ? `1 unterbrochener Upload wird fortgesetzt: ${sent} von ${all} sind angekommen.`
      : `${formatCount(n)} unterbrochene Uploads werden fortgesetzt: ${sent} von ${all} sind angekommen.`,
  ifTaken: 'Wenn eine Datei schon vorhanden ist',
  ask: 'Fragen',
  replace: 'Ersetzen',
  skip: 'Überspringen',
  both: 'Beide behalten',
  noRoom: (free, size) =>
    `In diesem Bucket sind nur noch ${free} frei, ausgewählt sind ${size}. Dateien, die nicht hineinpassen, werden nicht hochgeladen.`,
  denied: (n) => `Für ${files(n)} fehlt Ihnen die Berechtigung „write“.`,
  upload: (n) => (n === 0 ? 'Hochladen' : `${files(n)} hochladen`),
  alreadyUploading: 'Diese Dateien werden schon hochgeladen.',

  // Dock
  uploads: 'Uploads',
  indicator: (percent) => `Uploads: ${percent} %`,
  uploading: (done, all) => `Wird hochgeladen: ${formatCount(done)} von ${files(all)}`,
  heldTitle: (done, all) => `Angehalten: ${formatCount(done)} von ${files(all)}`,
  waitingTitle: (done, all) => `Wartet: ${formatCount(done)} von ${files(all)}`,
  finished: (n) => (n === 0 ? 'Nichts wurde hochgeladen' : `${files(n)} hochgeladen`),
  resumableTitle: (n) =>
    plural(n, { one: 'Upload kann fortgesetzt werden', other: 'Uploads können fortgesetzt werden' }),
  progress: (sent, all) => `${sent} von ${all}`,
  arrivedOf: (sent, all) => `${sent} von ${all} angekommen`,
  rate: (rate) => `${rate}/s`,
  left: (time) => `noch ${time}`,
  pauseAll: 'Alle anhalten',
  resumeAll: 'Alle fortsetzen',
  cancelAll: 'Alle abbrechen',
  cancelAllQuestion: (n) =>
    `${plural(n, { one: 'Datei wird', other: 'Dateien werden' })} nicht hochgeladen. Fertige Uploads bleiben.`,
  expand: 'Dateien anzeigen',
  collapse: 'Dateien ausblenden',
  closeDock: 'Schließen',
  hideDock: 'Für später ausblenden',
  pause: (name) => `${name} anhalten`,
  resume: (name) => `${name} fortsetzen`,
  retry: (name) => `${name} noch einmal versuchen`,
  cancel: (name) => `${name} abbrechen`,
  retryAll: (n) => `${files(n)} noch einmal versuchen`,
  offline: 'Server nicht erreichbar. Die Uploads werden automatisch fortgesetzt.',
  bucketFull: (bucket, n, missing) => `„${bucket}“ ist voll: ${files(n)} nicht hochgeladen, ${missing} fehlen.`,
  bucketStopped: (detail, n) => `${detail} ${files(n)} nicht hochgeladen.`,
  continues: 'Die Uploads gehen weiter, sobald Platz ist.',
  tryAgain: 'Noch einmal versuchen',
  conflicts: (n) => `${plural(n, { one: 'Datei ist', other: 'Dateien sind' })} schon vorhanden.`,
  decide: 'Prüfen …',
  earlier: 'Frühere Uploads',
  lost: (n) =>
    n === 1
      ? '1 Upload wurde unterbrochen. Wählen Sie dieselbe Datei aus, um ihn fortzusetzen.'
      : `${formatCount(n)} Uploads wurden unterbrochen. Wählen Sie dieselben Dateien aus, um sie fortzusetzen.`,
  goOn: 'Fortsetzen',
  discard: 'Verwerfen',
  discardQuestion: (n) =>
    `${plural(n, { one: 'unterbrochener Upload wird', other: 'unterbrochene Uploads werden' })} entfernt.`,
  attached: (n) => (n === 0 ? 'Keine dieser Dateien passt zu einem unterbrochenen Upload.' : `${files(n)} fortgesetzt`),
  notAllowed: 'Der Browser hat den Zugriff auf die Dateien verweigert. Wählen Sie sie noch einmal aus.',
  moreRows: (n) => plural(n, { one: 'weitere Datei', other: 'weitere Dateien' }),
  loose: 'Einzelne Dateien',
  groupState: (done, all) => `${formatCount(done)} von ${formatCount(all)}`,
  showGroup: (name) => `Dateien in ${name}`,

  // States
  checking: 'Wird geprüft',
  queued: 'Wartet',
  held: 'Angehalten',
  running: 'Wird hochgeladen',
  noConnection: 'Wartet auf den Server',
  completing: 'Wird abgeschlossen',
  full: 'Bucket voll',
  paused: 'Angehalten',
  error: 'Fehlgeschlagen',
  conflict: 'Schon vorhanden',
  conflictIdentical: 'Schon vorhanden, identisch',
  lostState: 'Zum Fortsetzen Datei auswählen',
  done: 'Fertig',
  skipped: 'Übersprungen',
  cancelled: 'Abgebrochen',

  // Conflicts
  conflictsTitle: (n) => `${plural(n, { one: 'Datei ist', other: 'Dateien sind' })} schon vorhanden`,
  conflictsHint:
    'Ihre anderen Dateien werden weiter hochgeladen. Ersetzte Versionen kommen in den Papierkorb, falls der Bucket einen hat.',
  name: 'Name',
  there: 'Vorhanden',
  identical: 'Identisch',
  skipIdentical: (n) => `${formatCount(n)} identische überspringen`,
  yours: 'Neu',
  choice: 'Aktion',
  unknown: 'Unbekannt',
  forAll: (n) => `Auf alle ${formatCount(n)} anwenden`,
  shownFirst: (shown, all) => `Die ersten ${formatCount(shown)} von ${formatCount(all)}`,
  later: 'Später entscheiden',

  // What the engine finds wrong
  badName: 'Dieser Name ist nicht erlaubt',
  badNameHint: 'Namen können einschließlich der Ordner höchstens 1.024 Byte und keine Nullzeichen enthalten.',
  unreadable: 'Die Datei konnte nicht gelesen werden',
  unreadableHint: 'Sie wurde auf diesem Computer geändert, verschoben oder gelöscht. Wählen Sie sie noch einmal aus.',
  otherFile: 'Das ist eine andere Datei',
  otherFileHint: 'Der schon hochgeladene Teil stammt aus einer anderen Datei.',
  unreachable: 'Verbindung verloren',
  unreachableHint: 'Die Verbindung bricht immer wieder ab. Versuchen Sie es später noch einmal.',

  // Unfinished uploads of a bucket
  unfinished: 'Unfertige Uploads',
  unfinishedHint:
    'Große Uploads, die nicht abgeschlossen wurden. Sie belegen das Kontingent, bis sie fortgesetzt oder abgebrochen werden oder ablaufen.',
  key: 'Schlüssel',
  arrived: 'Hochgeladen',
  begun: 'Begonnen',
  by: 'Begonnen von',
  you: 'Sie',
  somebody: 'Anderer Benutzer',
  expires: 'Läuft ab',
  actions: 'Aktionen',
  unknownSize: 'unbekannte Größe',
  noneTitle: 'Keine unfertigen Uploads',
  noneHint: 'Unterbrochene Uploads erscheinen hier. Sie können sie fortsetzen oder abbrechen.',
  resumeUpload: 'Fortsetzen',
  resumeHint: (key) => `Datei für ${key} auswählen`,
  wrongSize: (wanted, is) => `Diese Datei hat ${is}, für den Upload sind aber ${wanted} nötig.`,
  cancelThis: 'Abbrechen',
  abort: 'Upload abbrechen',
  abortTitle: 'Diesen Upload abbrechen?',
  abortText: (key, bytes) => `Der schon hochgeladene Teil von „${key}“ (${bytes}) wird gelöscht.`,
  aborted: 'Upload abgebrochen',
  runsHere: 'In diesem Fenster',
  open: 'Unfertig',
}

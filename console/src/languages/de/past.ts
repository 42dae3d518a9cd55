import type * as english from '../../features/past/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: (place) => `Was war in ${place}?`,
  ago: (span) => ({ hour: 'Vor einer Stunde', day: 'Gestern', week: 'Letzte Woche', month: 'Vor einem Monat' })[span],
  usual: 'Übliche Zeitpunkte',
  moment: 'Datum und Uhrzeit',
  momentHint: 'Zeigt die Liste, wie sie damals war. Nichts wird geändert.',
  notYet: 'Dieser Zeitpunkt liegt in der Zukunft.',
  show: 'Anzeigen',
  snapshots: 'Snapshots',
  change: 'Anderer Zeitpunkt…',
  changes: 'Änderungen und Snapshots',
  nothingKept:
    'Dieser Bucket behält weder Papierkorb noch Versionen. Nur was Snapshots erhalten, kann angezeigt werden.',
  band: 'Vergangenheit',
  asOf: (time) => `Stand: ${time}`,
  snapshot: (name) => `Snapshot ${name}`,
  readOnly: 'Nur lesbar: Das ist die Vergangenheit.',
  since: 'Änderungen seitdem',
  now: 'Zurück zu jetzt',
  wasEmpty: 'Damals war hier nichts',
  wasEmptyHint: 'Den Ordner gab es zu diesem Zeitpunkt nicht, oder er war leer.',
  unknown: 'Dieser Zeitpunkt kann nicht angezeigt werden',
  erasedHint: 'Der Inhalt wurde seitdem endgültig gelöscht.',
  noPreview: 'Für diesen Dateityp gibt es in der Vergangenheit keine Vorschau. Zum Öffnen herunterladen.',
  noFormer: 'Der Papierkorb hat keine früheren Inhalte dieser Datei.',
  replaced: 'Ersetzt',
}

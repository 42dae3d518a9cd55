import type * as english from '../../features/trash/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const contents = (n: number) => plural(n, { one: 'Element', other: 'Elemente' })

export const text: Translation<typeof english.text> = {
  title: 'Papierkorb',
  hint: 'Gelöschte Dateien und vorherige Versionen, für die Aufbewahrungszeit des jeweiligen Buckets.',
  bucket: 'Bucket',
  bucketOption: (name, size) => `${name} (${size})`,
  filter: 'Nach Pfad filtern',
  key: 'Schlüssel',
  size: 'Größe',
  reason: 'Grund',
  deleted: 'Gelöscht',
  overwritten: 'Ersetzt',
  when: 'Gelöscht',
  expires: 'Endgültig gelöscht',
  actions: 'Aktionen',
  select: (key) => `${key} auswählen`,
  selectAll: 'Alle auf dieser Seite auswählen',
  selected: (n) => `${contents(n)} ausgewählt`,
  restore: 'Wiederherstellen',
  restoreOne: (key) => `${key} wiederherstellen`,
  purge: 'Endgültig löschen',
  purgeOne: (key) => `${key} endgültig löschen`,
  restored: (n) => `${contents(n)} wiederhergestellt`,
  restoredOne: (name) => `${name} wiederhergestellt`,
  show: 'Anzeigen',
  purged: (n) => `${contents(n)} endgültig gelöscht`,
  emptyAll: 'Papierkorb leeren',
  emptyAllTitle: (bucket) => `Papierkorb von ${bucket} leeren?`,
  emptyAllText: (size) => `Löscht alles darin endgültig (${size}).`,
  purgeTitle: (n) => `${contents(n)} endgültig löschen?`,
  purgeText: (size) => `Danach können Sie nichts davon wiederherstellen (${size}):`,
  more: (n) => `und ${plural(n, { one: 'weiteres', other: 'weitere' })}`,
  noneTitle: 'Der Papierkorb ist leer',
  noneHint: (days) =>
    days === 0
      ? 'Der Papierkorb ist für diesen Bucket ausgeschaltet.'
      : `Gelöschte und ersetzte Dateien bleiben ${plural(days, { one: 'Tag', other: 'Tage' })} lang hier.`,
  noBuckets: 'Sie haben auf keinen Bucket mit Papierkorb Zugriff.',
  takenTitle: (n) =>
    n === 1
      ? 'Ein Objekt mit diesem Namen ist schon vorhanden'
      : `${formatCount(n)} Objekte mit diesen Namen sind schon vorhanden`,
  takenText: 'Noch wurde nichts wiederhergestellt. Schon vorhanden:',
  replace: 'Ersetzen',
  replaceToTrash: 'Stellt die Datei unter ihrem Namen wieder her. Die aktuelle Version kommt in den Papierkorb.',
  replaceForGood:
    'Stellt die Datei unter ihrem Namen wieder her. Die aktuelle Version wird endgültig gelöscht, weil der Papierkorb aus ist.',
  replaceLatest: 'Wenn es mehrere Versionen gibt, wird die neueste wiederhergestellt.',
  replaceDenied:
    'Sie können hier nicht ersetzen: Der Papierkorb ist aus, die aktuelle Version würde also endgültig gelöscht. Erfordert die Berechtigungen „delete“ und „manage“.',
  keepBoth: 'Beide behalten',
  keepBothHint: 'Stellt die Datei unter einem neuen Namen wieder her, zum Beispiel „report (restored).pdf“.',
  restoreOthers: (n) =>
    n === 1 ? 'Nur das andere wiederherstellen' : `Nur die anderen ${formatCount(n)} wiederherstellen`,
  restoredAs: (key) => `Als ${key} wiederhergestellt`,
}

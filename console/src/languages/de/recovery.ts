import type * as english from '../../features/recovery/messages.ts'
import { formatCount, plural, type Translation } from '../../i18n.ts'

const copies = (n: number) => plural(n, { one: 'Kopie', other: 'Kopien' })
const days = (n: number) => plural(n, { one: 'Tag', other: 'Tage' })

export const text: Translation<typeof english.text> = {
  title: 'Schutz',
  hint: 'Was kann verloren gehen, und wie bekomme ich es zurück?',
  right: 'admin',
  // Contents of files
  contents: 'Inhalte der Dateien',
  oneCopy: (mirrored) => `Es gibt nur eine Kopie. Geht ${mirrored} verloren, sind die Inhalte verloren.`,
  twoCopies: (mirror) => `Alles hat eine zweite Kopie auf ${mirror}.`,
  filling: (mirror) =>
    `Was vorher da war, wird noch auf ${mirror} kopiert. Geht dieser Ort jetzt verloren, ist der Rest verloren.`,
  due: (n, mirror) => `Noch nicht auf ${mirror}: ${copies(n)}. Geht dieser Ort jetzt verloren, sind sie verloren.`,
  oldest: 'Die älteste steht aus seit',
  acknowledges: (acknowledge) =>
    acknowledge === 'one'
      ? 'Ein Upload ist fertig, wenn eine Kopie geschrieben ist. Die andere folgt.'
      : 'Ein Upload ist fertig, wenn beide Kopien geschrieben sind.',
  whenDown: (down) =>
    down === 'refuse'
      ? 'Solange ein Ort ausfällt, werden Uploads abgelehnt.'
      : 'Solange ein Ort ausfällt, gehen Uploads mit einer Kopie weiter.',
  keeps: (n) =>
    n === 0
      ? 'Was entfernt wird, wird auf beiden entfernt.'
      : `Was entfernt wird, bleibt auf dem Spiegel noch ${days(n)} lang.`,
  locks: (mirror) =>
    `${mirror} sperrt die Kopien (Object Lock): bis dahin kann sie dort niemand vernichten, auch nicht mit dessen Schlüsseln.`,
  wayBack: (name, mirror) => `Falls ${name} verloren geht: auf ${mirror} umschalten. Nichts wird kopiert.`,
  switched: (place) => `Es wurde umgeschaltet: Gelesen wird zuerst am Ort von ${place}.`,
  neverRead: 'Noch nie ganz gelesen, um Schäden zu finden.',
  reading: 'Wird gerade ganz gelesen, um Schäden zu finden, seit',
  readWhole: (checked) => `Ganz gelesen: ${copies(checked)}, keine Schäden.`,
  readDamaged: (checked, damaged) =>
    `Ganz gelesen: ${copies(checked)}, davon ${formatCount(damaged)} fehlend oder beschädigt.`,
  repairs: 'Reparaturen anzeigen',
  setUp: 'Spiegel einrichten…',
  change: 'Spiegel ändern…',
  switchTo: (mirror) => `Auf ${mirror} umschalten…`,
  switchTitle: (name, mirror) => `${name} auf ${mirror} umschalten?`,
  switchText: (name, mirror) =>
    `Alles wird dann von ${mirror} gelesen und zuerst dort geschrieben. ${name} wird der Spiegel und bekommt, was ihm fehlt. Dieselbe Schaltfläche ist der Weg zurück.`,
  switchMissing: (n) =>
    `Was dort noch fehlt (${copies(n)}), kann erst wieder gelesen werden, wenn der andere Ort zurück ist.`,
  switchDo: 'Umschalten',
  switchedTo: (mirror) => `Auf ${mirror} umgeschaltet`,
  // The dialog of a mirror
  mirrorTitle: (name) => `Spiegel von ${name}`,
  mirrorHint:
    'Ein zweiter Ort für alle seine Bytes, am besten auf einem anderen Rechner. Was schon da ist, wird im Hintergrund kopiert.',
  mirror: 'Speicher der zweiten Kopie',
  noOther: 'Es gibt noch keinen anderen Speicher. Registrieren Sie zuerst einen.',
  register: 'Speicher registrieren',
  acknowledge: 'Ein Upload ist fertig',
  acknowledgeOne: 'Wenn eine Kopie geschrieben ist',
  acknowledgeBoth: 'Wenn beide Kopien geschrieben sind',
  down: 'Solange ein Ort ausfällt',
  downRefuse: 'Uploads ablehnen',
  downContinue: 'Mit einer Kopie weitermachen',
  keepDays: 'Entferntes behalten (Tage)',
  keepDaysHint: 'Es bleibt auf dem Spiegel, sicher vor Fehlern und vor Dieben auf diesem Rechner.',
  saved: 'Spiegel gespeichert',
  turnOff: 'Spiegel ausschalten',
  turnOffTitle: (name) => `Den Spiegel von ${name} ausschalten?`,
  turnOffText: 'Neue Inhalte haben dann nur eine Kopie. Was auf dem Spiegel ist, bleibt dort.',
  turnedOff: 'Spiegel ausgeschaltet',
  // The database
  database: 'Namen, Benutzer und Einstellungen',
  databaseOff:
    'Die Datenbank hat keine zweite Kopie, von der diese Seite weiß. Geht sie verloren, sind alle Namen, Benutzer, Berechtigungen und Einstellungen verloren, und ohne sie sind die Inhalte nicht zu finden.',
  databaseHow:
    'Mit SQLite: Setzen Sie diese Variable auf einen Ordner auf einer anderen Platte oder auf eine S3-Engine, und starten Sie neu. Mit PostgreSQL: Nutzen Sie dessen eigene Replikation.',
  databaseCopying: (place) =>
    `Die erste Kopie der Datenbank wird nach ${place} geschrieben. Bis sie vollständig ist, kann von dort nichts wiederhergestellt werden.`,
  databaseFollows: (place) => `Jede Änderung der Datenbank wird nach ${place} kopiert.`,
  databaseLoses: (span) => `Geht dieser Rechner jetzt verloren, sind die Änderungen der letzten ${span} verloren.`,
  databaseFailing: (place) => `Die Kopie auf ${place} kann nicht geschrieben werden:`,
  databaseStill: 'Alles ist wiederherstellbar bis',
  databaseFenced: 'Eine andere Instanz hat übernommen. Diese darf nicht mehr schreiben.',
  waiting: (size) => `Noch zu kopieren: ${size}.`,
  base: (size) => `Die neueste vollständige Kopie hat ${size}, von`,
  recover: 'Auf einem leeren Rechner bringt dieser Befehl alles zurück:',
  backupState: (state) =>
    ({
      off: 'Keine Kopie',
      copying: 'Startet',
      following: 'Aktuell',
      failing: 'Fehlerhaft',
      fenced: 'Abgelöst',
    })[state],
  // Replicas
  replicas: 'Replikate für andere',
  noReplicas:
    'Kein Bucket hat ein Replikat. Ein Replikat ist ein Bucket einer anderen S3-Engine mit denselben Dateien unter denselben Namen, lesbar ohne diesen Dienst.',
  bucket: 'Bucket',
  place: 'Replikat',
  state: 'Zustand',
  paused: 'Angehalten',
  broken: 'Nicht beschreibbar',
  someFailed: (n) => `${formatCount(n)} fehlgeschlagen`,
  replicaFilling: 'Wird gefüllt',
  behind: 'Holt auf',
  upToDate: 'Aktuell',
  lag: 'Rückstand',
  lagOf: (span, n, size) => `${span} (${plural(n, { one: 'Objekt', other: 'Objekte' })}, ${size})`,
  none: 'Keiner',
  replicate: 'Bucket replizieren…',
  edit: (bucket) => `Replikat von ${bucket} ändern`,
  pause: (bucket) => `Replikat von ${bucket} anhalten`,
  resume: (bucket) => `Replikat von ${bucket} fortsetzen und Fehlgeschlagenes wiederholen`,
  stop: (bucket) => `${bucket} nicht mehr replizieren`,
  stopTitle: (bucket) => `${bucket} nicht mehr replizieren?`,
  stopText: 'Was im Replikat ist, bleibt dort.',
  stopDo: 'Nicht mehr replizieren',
  stopped: 'Replikation beendet',
  replicaTitle: 'Einen Bucket replizieren',
  replicaHint:
    'Objekte werden mit jeder Änderung dorthin geschrieben. Was andere dort unter denselben Namen schreiben, wird überschrieben.',
  target: 'Speicher',
  noTarget: 'Ein Replikat braucht einen registrierten Speicher auf einer S3-Engine.',
  targetPrefix: 'Unter Präfix dort',
  targetPrefixHint: 'Für das des Speichers leer lassen.',
  onlyPrefix: 'Nur dieser Ordner',
  onlyPrefixHint: 'Für den ganzen Bucket leer lassen.',
  deletes: 'Dort löschen, was hier gelöscht wird',
  existing: 'Auch was schon da ist',
  replicaDo: 'Replikation starten',
  replicaSaved: (bucket) => `Replikat von ${bucket} gespeichert`,
  rules: (n) => `Es hat ${formatCount(n)} Regeln, die nur die Kommandozeile ändern kann. Speichern ersetzt sie.`,
  // Encryption
  encryption: 'Gestohlene Platten',
  encrypted: (share, part, all) => `${share} des Gespeicherten sind verschlüsselt (${part} von ${all}).`,
  notEncrypted: 'Nichts Gespeichertes ist verschlüsselt: Wer eine Platte hat, kann sie lesen.',
  encryptHow: 'Die Seite „Schutz“ eines Buckets verschlüsselt ihn. Für neue Buckets steht es unter Einstellungen.',
  settings: 'Einstellungen',
  keys: 'Schlüssel',
  // Mistakes
  mistakes: 'Fehler und gestohlene Schlüssel',
  kept: (n) =>
    `Ersetzte und gelöschte Dateien sind überall wiederherstellbar (${plural(n, { one: 'Bucket', other: 'Buckets' })}).`,
  notKept: 'In diesen Buckets wird endgültig gelöscht: Sie haben weder Papierkorb noch Versionen.',
  undoHow:
    'Die Seite „Verlauf“ eines Buckets zeigt ihn zu jedem Zeitpunkt, was sich seitdem geändert hat und durch wen, und geht zurück.',
}

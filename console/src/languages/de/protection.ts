import type * as english from '../../features/protection/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const days = (n: number) => plural(n, { one: 'Tag', other: 'Tage' })
const years = (n: number) => plural(n, { one: 'Jahr', other: 'Jahre' })

export const text: Translation<typeof english.text> = {
  title: 'Schutz',
  summary: 'Was entfernt werden kann, und von wem',
  // Sentences
  trashOnly: (n) =>
    `Ersetzte und gelöschte Dateien kommen in den Papierkorb und können dort ${days(n)} lang wiederhergestellt werden. Danach werden sie endgültig gelöscht.`,
  nothingKept:
    'Ersetzte und gelöschte Dateien werden sofort endgültig gelöscht: Versionen und Papierkorb sind ausgeschaltet.',
  versionsKept:
    'Ersetzte und gelöschte Dateien bleiben als Versionen erhalten, bis ein Benutzer mit „delete“ oder eine Bereinigungsrichtlinie die Version löscht.',
  versionsLeft:
    'Frühere Versionen bleiben erhalten, bis ein Benutzer mit „delete“ oder eine Bereinigungsrichtlinie sie löscht. Neue entstehen nicht.',
  versionsTrash: (n) =>
    `Gelöschte Versionen kommen in den Papierkorb und können dort ${days(n)} lang wiederhergestellt werden.`,
  versionsGone: 'Gelöschte Versionen werden sofort endgültig gelöscht: Der Papierkorb ist ausgeschaltet.',
  purge: 'Benutzer mit „manage“ können den Papierkorb jederzeit leeren.',
  purgeVersions: 'Benutzer mit „manage“ können den Papierkorb jederzeit leeren und Versionen endgültig löschen.',
  purgeUnlocked:
    'Benutzer mit „manage“ können den Papierkorb jederzeit leeren und Versionen, die nicht gesperrt sind, endgültig löschen.',
  notLocked: 'In diesem Bucket kann nichts gesperrt werden.',
  lockedSingly:
    'Versionen können einzeln gesperrt werden. Eine gesperrte Version kann nicht gelöscht werden, bis ihre Sperre endet.',
  lockedCompliance: (period) =>
    `Jede neue Version wird ${period} lang gesperrt. Bis dahin kann niemand sie löschen, auch kein Administrator.`,
  lockedGovernance: (period) =>
    `Jede neue Version wird ${period} lang gesperrt. Bis dahin können nur Benutzer mit „bypass_lock“ sie löschen.`,
  holds: 'Eine Version unter Legal Hold bleibt, bis ein Benutzer mit „manage“ ihn aufhebt.',
  overwrite:
    'Gesperrte Dateien können trotzdem ersetzt und gelöscht werden: Die gesperrte Version bleibt hinter der neuen erhalten.',
  // Public access
  private: 'Nichts in diesem Bucket ist öffentlich.',
  readOnly: 'Niemand kann hier etwas ändern oder entfernen: Der Bucket ist schreibgeschützt.',
  readOnlyEngine:
    'Er zeigt, was auf einer S3-Engine liegt. Wer Zugriff auf die Engine hat, kann es dort ändern und entfernen.',
  publicAccess: 'Öffentlicher Zugriff',
  publicBlocked: 'Blockiert: Bucket-Richtlinien, ACLs und Berechtigungen der Gruppe „Public“ haben hier keine Wirkung.',
  publicRemoves: 'Alle können am S3-Endpunkt ohne Zugriffsschlüssel Dateien ersetzen oder löschen.',
  publicHow:
    'Eine Bucket-Richtlinie, eine ACL oder die Berechtigungen der Gruppe „Public“ erlauben das. Änderungen gelten ab der nächsten Anfrage; Caches können ein Objekt noch eine Minute behalten.',
  blockPublic: 'Öffentlichen Zugriff blockieren',
  blockTitle: (bucket) => `Öffentlichen Zugriff auf ${bucket} blockieren?`,
  blockText: 'Jede Anfrage braucht dann einen Zugriffsschlüssel. Sie können die Blockierung später aufheben.',
  allowPublic: 'Blockierung aufheben',
  blocked: 'Öffentlicher Zugriff blockiert',
  unblocked: 'Blockierung aufgehoben',
  // Versions
  versioning: 'Versionen',
  versioningIs: (state) =>
    ({
      off: 'Aus: Ersetzte und gelöschte Dateien kommen in den Papierkorb.',
      enabled: 'Ein: Ersetzte und gelöschte Dateien bleiben als Versionen erhalten, bis diese gelöscht werden.',
      suspended: 'Ausgesetzt: Vorhandene Versionen bleiben erhalten, neue entstehen nicht.',
    })[state],
  versionBytes: (size) => `Frühere Versionen belegen ${size} des Kontingents.`,
  enable: 'Versionen einschalten',
  enableTitle: (bucket) => `Versionen in ${bucket} aufbewahren?`,
  enableText:
    'Ersetzte und gelöschte Dateien bleiben dann als Versionen erhalten und zählen zum Kontingent. Sie können Versionen später aussetzen, aber nicht ausschalten.',
  enabled: 'Versionen eingeschaltet',
  suspend: 'Versionen aussetzen',
  suspended: 'Versionen ausgesetzt',
  lockKeepsOn: 'Wegen der Objektsperre bleiben Versionen eingeschaltet.',
  // Object Lock
  objectLock: 'Objektsperre',
  lockOff: 'Aus. Schalten Sie sie ein, um Versionen eine Zeit lang vor dem Löschen zu schützen.',
  lockNeedsVersions: 'Aus. Sie setzt Versionen voraus.',
  lockOn: 'Ein. Sie kann nicht wieder ausgeschaltet werden.',
  turnOn: 'Objektsperre einschalten',
  turnOnTitle: (bucket) => `Objektsperre in ${bucket} einschalten?`,
  turnOnText: 'Sie kann nicht wieder ausgeschaltet werden, und Versionen können dann nicht mehr ausgesetzt werden.',
  turnedOn: 'Objektsperre eingeschaltet',
  byDefault: 'Neue Versionen',
  mode: (mode) =>
    ({
      none: 'Standardmäßig nicht gesperrt',
      governance: 'Im Governance-Modus gesperrt',
      compliance: 'Im Compliance-Modus gesperrt',
    })[mode],
  modeHint: (mode) =>
    ({
      none: 'S3-Clients und Benutzer sperren die Versionen, die sie auswählen.',
      governance: 'Benutzer mit „bypass_lock“ können eine Version trotzdem löschen oder ihre Sperre verkürzen.',
      compliance: 'Niemand kann eine Version löschen oder ihre Sperre verkürzen, auch kein Administrator.',
    })[mode],
  period: 'Dauer',
  unit: 'Einheit',
  days: 'Tage',
  years: 'Jahre',
  daysOf: days,
  yearsOf: years,
  save: 'Speichern',
  saved: 'Objektsperre gespeichert',
  complianceTitle: (period) => `Jede neue Version ${period} lang sperren?`,
  complianceText:
    'Im Compliance-Modus kann das für hochgeladene Versionen niemand rückgängig machen, auch kein Administrator.',
  complianceAction: 'Neue Versionen sperren',
  // The clock
  clockTitle: 'Die Uhr geht vielleicht falsch',
  confirmClock: 'Uhr bestätigen',
  confirmClockTitle: 'Uhr bestätigen?',
  confirmClockText: (now) =>
    `Sie zeigt ${now}. Versionen, deren Sperre nach dieser Uhr abgelaufen ist, können dann endgültig gelöscht werden.`,
  clockConfirmed: 'Uhr bestätigt',
  // One version
  lock: 'Sperren …',
  lockWhat: (name, time) => `${name}, Version vom ${time}`,
  lockDo: 'Sperren',
  notLockedHint: 'Benutzer mit „delete“ können diese Version löschen.',
  lockTitle: 'Diese Version sperren',
  lockMode: 'Modus',
  modeName: (mode) => ({ none: 'Nicht gesperrt', governance: 'Governance', compliance: 'Compliance' })[mode],
  until: 'Bis',
  bypasses: 'Die Version ist im Governance-Modus gesperrt. Dies nutzt Ihre Berechtigung „bypass_lock“.',
  legalHold: 'Legal Hold',
  legalHoldHint: 'Bewahrt die Version auf, bis er aufgehoben wird. Erfordert die Berechtigung „manage“.',
  locked: 'Sperre gespeichert',
  lockedUntil: (time) => `Gesperrt bis ${time}`,
  onHold: 'Legal Hold',
  compliance: 'Vorher kann niemand sie löschen.',
  governance: 'Vorher können nur Benutzer mit „bypass_lock“ sie löschen.',
  heldHint: 'Sie bleibt, bis ein Benutzer mit „manage“ den Legal Hold aufhebt.',
  lockEnded: (time) => `Sperre endete am ${time}`,
}

import type { LockMode } from '../../../../contract/locks.ts'
import { catalogue, plural } from '../../i18n.ts'

const days = (n: number) => plural(n, { one: 'day', other: 'days' })
const years = (n: number) => plural(n, { one: 'year', other: 'years' })

export const text = catalogue('protection.text', {
  title: 'Protection',
  summary: 'What can be removed, and by whom',
  // Sentences
  trashOnly: (n: number) =>
    `Replaced and deleted files go to the trash, where they can be restored for ${days(n)}. After that they are permanently deleted.`,
  nothingKept: 'Replaced and deleted files are permanently deleted immediately: versions and the trash are off.',
  versionsKept:
    'Replaced and deleted files stay as versions until a user with “delete” or a cleanup policy deletes the version.',
  versionsLeft:
    'Earlier versions stay until a user with “delete” or a cleanup policy deletes them. No new ones are created.',
  versionsTrash: (n: number) => `Deleted versions go to the trash, where they can be restored for ${days(n)}.`,
  versionsGone: 'Deleted versions are permanently deleted immediately: the trash is off.',
  purge: 'Users with “manage” can empty the trash at any time.',
  purgeVersions: 'Users with “manage” can empty the trash at any time, and permanently delete versions.',
  purgeUnlocked:
    'Users with “manage” can empty the trash at any time, and permanently delete versions that aren’t locked.',
  notLocked: 'Nothing in this bucket can be locked.',
  lockedSingly: 'Versions can be locked one at a time. A locked version can’t be deleted until its lock ends.',
  lockedCompliance: (period: string) =>
    `Every new version is locked for ${period}. Until then no one can delete it, not even an administrator.`,
  lockedGovernance: (period: string) =>
    `Every new version is locked for ${period}. Until then only users with “bypass_lock” can delete it.`,
  holds: 'A version on legal hold stays until a user with “manage” releases it.',
  overwrite: 'Locked files can still be replaced and deleted: the locked version stays behind the new one.',
  // Public access
  private: 'Nothing in this bucket is public.',
  readOnly: 'Nothing can be changed or removed here, by anyone: the bucket is read-only.',
  readOnlyEngine:
    'It shows what is kept on an S3 engine. Whoever has access to the engine can change and remove it there.',
  publicAccess: 'Public access',
  publicBlocked: 'Blocked: bucket policies, ACLs and permissions of the “Public” group have no effect here.',
  publicRemoves: 'Everyone can replace or delete files at the S3 endpoint, without an access key.',
  publicHow:
    'A bucket policy, an ACL or the permissions of the “Public” group allow this. Changes apply to the next request; caches may keep an object for a minute.',
  blockPublic: 'Block public access',
  blockTitle: (bucket: string) => `Block public access to ${bucket}?`,
  blockText: 'Every request then needs an access key. You can lift the block later.',
  allowPublic: 'Lift the block',
  blocked: 'Public access blocked',
  unblocked: 'Block lifted',
  // Versions
  versioning: 'Versions',
  versioningIs: (state: 'off' | 'enabled' | 'suspended') =>
    ({
      off: 'Off: replaced and deleted files go to the trash.',
      enabled: 'On: replaced and deleted files are kept as versions until they are deleted.',
      suspended: 'Suspended: existing versions are kept, but no new ones are created.',
    })[state],
  versionBytes: (size: string) => `Earlier versions use ${size} of the quota.`,
  enable: 'Turn on versions',
  enableTitle: (bucket: string) => `Keep versions in ${bucket}?`,
  enableText:
    'Replaced and deleted files then stay as versions and count towards the quota. You can suspend versions later, but not turn them off.',
  enabled: 'Versions turned on',
  suspend: 'Suspend versions',
  suspended: 'Versions suspended',
  lockKeepsOn: 'Object Lock keeps versions on.',
  // Object Lock
  objectLock: 'Object Lock',
  lockOff: 'Off. Turn it on to protect versions from being deleted for a time.',
  lockNeedsVersions: 'Off. It needs versions.',
  lockOn: 'On. It can’t be turned off again.',
  turnOn: 'Turn on Object Lock',
  turnOnTitle: (bucket: string) => `Turn on Object Lock in ${bucket}?`,
  turnOnText: 'It can’t be turned off again, and versions can then no longer be suspended.',
  turnedOn: 'Object Lock turned on',
  byDefault: 'New versions',
  mode: (mode: LockMode | 'none') =>
    ({
      none: 'Not locked by default',
      governance: 'Locked in governance mode',
      compliance: 'Locked in compliance mode',
    })[mode],
  modeHint: (mode: LockMode | 'none') =>
    ({
      none: 'S3 clients and users lock the versions they choose.',
      governance: 'Users with “bypass_lock” can still delete a version or shorten its lock.',
      compliance: 'No one can delete a version or shorten its lock, not even an administrator.',
    })[mode],
  period: 'For',
  unit: 'Unit',
  days: 'days',
  years: 'years',
  daysOf: days,
  yearsOf: years,
  save: 'Save',
  saved: 'Object Lock saved',
  complianceTitle: (period: string) => `Lock every new version for ${period}?`,
  complianceText: 'In compliance mode no one can undo this for versions that were uploaded, not even an administrator.',
  complianceAction: 'Lock new versions',
  // The clock
  clockTitle: 'The clock is in doubt',
  confirmClock: 'Confirm the clock',
  confirmClockTitle: 'Confirm the clock?',
  confirmClockText: (now: string) =>
    `It says ${now}. Versions whose lock has ended by this clock can then be permanently deleted.`,
  clockConfirmed: 'Clock confirmed',
  // One version
  lock: 'Lock…',
  lockWhat: (name: string, time: string) => `${name}, version of ${time}`,
  lockDo: 'Lock',
  notLockedHint: 'Users with “delete” can delete this version.',
  lockTitle: 'Lock this version',
  lockMode: 'Mode',
  modeName: (mode: LockMode | 'none') =>
    ({ none: 'Not locked', governance: 'Governance', compliance: 'Compliance' })[mode],
  until: 'Until',
  bypasses: 'The version is locked in governance mode. This uses your “bypass_lock” permission.',
  legalHold: 'Legal hold',
  legalHoldHint: 'Keeps the version until it is released. Requires the “manage” permission.',
  locked: 'Lock saved',
  lockedUntil: (time: string) => `Locked until ${time}`,
  onHold: 'Legal hold',
  compliance: 'No one can delete it before.',
  governance: 'Only users with “bypass_lock” can delete it before.',
  heldHint: 'It stays until a user with “manage” releases it.',
  lockEnded: (time: string) => `Lock ended ${time}`,
})

import type { Finding, TakeOver } from '../../../../contract/attached.ts'
import type { HeldReason, Scan } from '../../../../contract/scans.ts'
import { catalogue, formatCount, plural } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'object', other: 'objects' })

/** The way to an attached bucket. */
export const text = catalogue('attached.text', {
  right: 'admin',
  title: 'Attach bucket',
  hint: 'Shows a bucket of an S3 engine here, read-only. Nothing in it is copied, changed or deleted.',
  step: (step: 'place' | 'test' | 'name' | 'scan') =>
    ({ place: 'Storage', test: 'Test', name: 'Name', scan: 'First scan' })[step],
  back: 'Back',
  // Storage
  placeTitle: 'Where are the objects?',
  from: 'Storage',
  registered: 'Registered storage',
  new: 'New storage',
  prefix: 'Prefix',
  prefixHint: (location: string) => `Leave empty for everything in ${location}.`,
  newHint: 'Use credentials that can list and read, and nothing else.',
  goTest: 'Test connection',
  // Test
  testHint: (location: string) => `What is needed to show ${location} read-only.`,
  testAgain: 'Test again',
  testFailed: 'Failed checks have to be fixed before this bucket can be attached.',
  testWarned: 'It can be attached. Read the warnings first.',
  noObjects: 'No objects are here yet. Those that are added later appear by themselves.',
  next: 'Continue',
  // Name
  nameTitle: 'What is it called here?',
  bucketName: 'Bucket name',
  bucketHint: 'Users, share links and S3 clients see this name. It can’t be changed.',
  storageName: 'Storage name',
  storageHint: 'For administrators. The storage is added to the list of storages with this name.',
  shows: 'Shows',
  onStorage: 'On storage',
  attach: 'Attach bucket',
  storageRefused: 'The storage can’t be added',
  bucketRefused: 'The bucket can’t be attached',
  storageKept: (name: string) => `Storage ${name} was added and is selected. Nothing has to be entered again.`,
  attached: (bucket: string) => `Bucket ${bucket} attached`,
  // First scan
  scanTitle: (bucket: string) => `${bucket} is attached`,
  scanWaits: 'The first scan starts in a moment.',
  scanRuns: 'The first scan is finding the objects. You can leave this page and use the bucket.',
  scanEnds: (n: number) => `The first scan is complete: ${objects(n)}.`,
  scanHeld: 'The first scan was held.',
  browse: 'Open bucket',
  scans: 'See its scans',
})

/** Scans. */
export const scanText = catalogue('attached.scanText', {
  title: 'Scans',
  hint: 'A scan compares this bucket with what the S3 engine lists.',
  hintTakenOver:
    'A scan compares what was taken over with what the S3 engine lists. What others changed there is a finding.',
  scanNow: 'Scan now',
  started: 'Scan started',
  notAttached: 'This bucket isn’t attached',
  notAttachedHint: 'Only buckets that show objects of an S3 engine are scanned.',
  needsManage: 'Requires the “manage” permission on this bucket.',
  none: 'No scans yet',
  // One that runs
  active: (status: Scan['status']) => (status === 'queued' ? 'Scan queued' : 'Scan running'),
  progress: 'Progress of the scan',
  reading: 'Asking the engine for each object',
  marking: (n: number) => `Checking ${objects(n)} that the engine didn’t list`,
  at: 'At',
  // The list
  when: 'Started',
  trigger: 'Reason',
  triggers: (trigger: Scan['trigger']) =>
    ({ attach: 'First scan', request: 'Requested', schedule: 'Scheduled', take_over: 'Take-over' })[trigger],
  status: 'Status',
  statuses: (status: Scan['status']) =>
    ({ queued: 'Queued', running: 'Running', succeeded: 'Succeeded', held: 'Held', superseded: 'Superseded' })[status],
  result: 'Result',
  took: 'Duration',
  details: (when: string) => `Details of the scan of ${when}`,
  listed: (n: number) => `${objects(n)} listed`,
  added: (n: number) => `${formatCount(n)} new`,
  changed: (n: number) => `${formatCount(n)} changed`,
  foreign: (n: number) => `${formatCount(n)} foreign`,
  changedByOthers: (n: number) => `${formatCount(n)} changed by others`,
  absent: (n: number) => `${formatCount(n)} not listed`,
  missing: (n: number) => `${formatCount(n)} missing`,
  removed: (n: number) => `${formatCount(n)} removed`,
  refused: (n: number) => `${formatCount(n)} can’t be shown`,
  missingHint:
    'Missing objects are removed once a second scan and a last check don’t find them, 24 hours later at the earliest.',
  why: 'What is wrong',
  by: 'Requested by',
  confirmedBy: 'Confirmed by',
  lastKey: 'Last key',
  finished: 'Finished',
  refusedTitle: 'Objects that can’t be shown',
  refusedFirst: (shown: number, all: number) => `The first ${formatCount(shown)} of ${formatCount(all)}.`,
  key: 'Key',
  reason: 'Reason',
  // One that is held
  held: (reason: HeldReason) =>
    ({
      many_missing: 'A scan was held: many objects are missing',
      empty: 'A scan was held: the engine lists no objects',
      listing_failed: 'A scan was held: the engine’s list is incomplete',
      disordered: 'A scan was held: the engine’s list isn’t in order',
      changed: 'Not taken over: others changed something',
      unreadable: 'Not taken over: an object can’t be read',
    })[reason],
  notTakenOver: 'The bucket is still read-only, and nothing on the engine was changed.',
  untouched: 'Nothing was marked as missing, so everything is still shown.',
  advice: (reason: HeldReason) =>
    ({
      many_missing: 'If they are still there, check the storage, then scan again.',
      empty: 'If it was emptied on purpose, confirm the scan. If not, check the storage, then scan again.',
      listing_failed: 'Check the storage, then scan again.',
      disordered: 'This engine can’t be scanned as long as it lists keys out of order.',
      changed: 'What they changed is shown by now. Find out who still writes there before you take it over again.',
      unreadable: 'Check the object and the credentials on the engine, then take it over again.',
    })[reason],
  absences: (n: number) => `Would be marked as missing: ${objects(n)}`,
  noAbsences: 'All of them have come back since. Scan again.',
  size: 'Size',
  modified: 'Modified',
  confirm: 'Confirm scan…',
  confirmAdmins: 'Only administrators can confirm it.',
  confirmWaits: 'Wait for the running scan to end.',
  confirmTitle: (n: number) => `Mark ${objects(n)} as missing?`,
  confirmLook: 'Each is checked on the engine again first. Those that are there stay.',
  confirmEffect: 'Missing objects can’t be opened or downloaded. Share links to them show that the file is gone.',
  confirmLater:
    'They are removed, with their links and tags, once another scan doesn’t find them either, 24 hours later at the earliest.',
  confirmAction: 'Mark as missing',
  confirmed: 'Scan confirmed',
  toStorage: 'Open storage',
})

/** The way to a bucket that was taken over. */
export const takeOverText = catalogue('attached.takeOverText', {
  right: 'admin',
  title: 'Take over',
  heading: (bucket: string) => `Take over ${bucket}`,
  intro: 'The objects become this bucket’s own. No bytes are copied: they stay where they are.',
  // What it is about
  objects: 'Objects',
  objectsOf: (n: number, size: string) => `${objects(n)}, ${size}`,
  place: 'Bytes stay at',
  requests: 'Requests first',
  requestsOf: (n: number) =>
    n === 0 ? 'None' : `${plural(n, { one: 'request', other: 'requests' })}: each object is asked for.`,
  quietSince: 'Unchanged since',
  notScanned: 'Not known yet',
  storage: 'Storage for new bytes',
  storageHint: 'Uploads and new versions are kept there.',
  quiet: 'Hours without changes',
  quietHint: 'For that long, scans must have found no change by others.',
  // What happens
  happens: 'What happens',
  willCompare:
    'Each object is asked for, then a last scan compares the list. If others changed anything, the bucket stays read-only.',
  willWork: (storage: string) =>
    `Then it works like any other bucket, with quota, trash, versions, uploads and cleanup policies. New bytes go to storage ${storage}.`,
  willDelete: 'What is deleted or overwritten here is deleted on the engine too, after the trash and the grace period.',
  willFind: 'What others change there afterwards is shown as a finding. It’s never merged.',
  // Whether it can be
  checkAgain: 'Check again',
  ready: 'It can be taken over.',
  notReady: 'It can’t be taken over yet',
  problem: (code: TakeOver['problems'][number]['code']) =>
    ({
      not_scanned: 'No scan is complete yet',
      not_quiet: 'Not quiet for long enough',
      scan_held: 'The last scan is held',
      missing: 'Objects are missing',
      weak: 'The engine has no ETags',
      not_removable: 'The credentials can’t delete',
      unreachable: 'The engine doesn’t answer as it should',
    })[code],
  busy: 'A scan is running. Wait for it to end.',
  failed: 'This can’t be checked',
  missing: (n: number) => `${objects(n)} marked as missing`,
  moreMissing: (n: number) => `And ${formatCount(n)} more`,
  withoutMissing: 'Take over without them',
  withoutMissingHint: 'They are looked for again. The bucket forgets those that are gone, and their links end.',
  confirmed: 'Others no longer write to this place',
  confirmedHint: 'Applications, backups and lifecycle rules on the engine included.',
  start: 'Take over',
  started: 'Taking over the bucket',
  back: 'Back',
  scans: 'See its scans',
  settings: 'Settings',
  browse: 'Open bucket',
  // While it runs
  runs: (bucket: string) => `Taking over ${bucket}`,
  waits: 'The scan starts in a moment.',
  readingHint: 'Step 1 of 2: each object is asked for.',
  listingHint: 'Step 2 of 2: the engine’s list is compared.',
  runsHint: 'If others changed anything, the bucket stays read-only. You can leave this page.',
  // The end
  done: (bucket: string) => `${bucket} was taken over`,
  doneHint: (storage: string) =>
    `Its objects can now be changed and deleted here. New bytes go to storage ${storage}; older ones stay where they are.`,
  doneTrash: (days: number) =>
    days === 0
      ? 'Its trash is off. Trash and quota are in its settings.'
      : `Its trash keeps files for ${plural(days, { one: 'day', other: 'days' })}. Trash and quota are in its settings.`,
  notAttached: 'This bucket isn’t attached',
  notAttachedHint: 'Only buckets that show objects of an S3 engine can be taken over.',
})

/** What others did where a bucket was taken over. */
export const findingText = catalogue('attached.findingText', {
  title: 'Findings',
  hint: 'What others changed on the engine since this bucket was taken over. It’s never merged into the bucket.',
  none: 'No findings',
  noneHint: 'Others have changed nothing where this bucket was taken over, as of the last scan.',
  notTakenOver: 'This bucket wasn’t taken over',
  notTakenOverHint: 'Findings are changes by others in buckets that were taken over.',
  meaning: 'What they mean',
  list: 'Found',
  kind: 'Kind',
  kinds: (kind: Finding['kind']) => ({ changed: 'Changed', missing: 'Missing', foreign: 'Foreign' })[kind],
  meanings: (kind: Finding['kind']) =>
    ({
      changed:
        'Others overwrote it on the engine. If the engine keeps versions, the object can still be read; if not, upload it again or delete it here.',
      missing:
        'Others deleted it on the engine. If the engine keeps versions, the object can still be read; if not, upload it again or delete it here.',
      foreign:
        'Others added it on the engine. It isn’t shown here: if you want it, upload it here, then delete it there.',
    })[kind],
  key: 'Key on the engine',
  object: 'Object here',
  noObject: 'No current object',
  size: 'Size now',
  gone: 'Gone',
  found: 'Found',
  most: 'The first 1,000 are listed. The last scan has the numbers.',
  toScans: 'See its scans',
  ends: 'A finding disappears once a scan doesn’t find it any more.',
})

import type { HeldReason, Scan } from '../../../../contract/scans.ts'
import { catalogue, formatCount, plural } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'object', other: 'objects' })

/** The way to an attached bucket. */
export const text = catalogue({
  right: 'admin',
  title: 'Attach bucket',
  hint: 'Shows a bucket of an S3 engine here, read-only. Nothing in it is copied, changed or deleted.',
  steps: 'Steps',
  step: (step: 'place' | 'test' | 'name' | 'scan') =>
    ({ place: 'Storage', test: 'Test', name: 'Name', scan: 'First scan' })[step],
  done: 'completed',
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
export const scanText = catalogue({
  title: 'Scans',
  hint: 'A scan compares this bucket with what the S3 engine lists.',
  scanNow: 'Scan now',
  started: 'Scan started',
  notAttached: 'This bucket isn’t attached',
  notAttachedHint: 'Only buckets that show objects of an S3 engine are scanned.',
  needsManage: 'Requires the “manage” permission on this bucket.',
  none: 'No scans yet',
  // One that runs
  active: (status: Scan['status']) => (status === 'queued' ? 'Scan queued' : 'Scan running'),
  progress: 'Progress of the scan',
  marking: (n: number) => `Checking ${objects(n)} that the engine didn’t list`,
  at: 'At',
  // The list
  when: 'Started',
  trigger: 'Reason',
  triggers: (trigger: Scan['trigger']) =>
    ({ attach: 'First scan', request: 'Requested', schedule: 'Scheduled' })[trigger],
  status: 'Status',
  statuses: (status: Scan['status']) =>
    ({ queued: 'Queued', running: 'Running', succeeded: 'Succeeded', held: 'Held', superseded: 'Superseded' })[status],
  result: 'Result',
  took: 'Duration',
  details: (when: string) => `Details of the scan of ${when}`,
  listed: (n: number) => `${objects(n)} listed`,
  added: (n: number) => `${formatCount(n)} new`,
  changed: (n: number) => `${formatCount(n)} changed`,
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
    })[reason],
  untouched: 'Nothing was marked as missing, so everything is still shown.',
  advice: (reason: HeldReason) =>
    ({
      many_missing: 'If they are still there, check the storage, then scan again.',
      empty: 'If it was emptied on purpose, confirm the scan. If not, check the storage, then scan again.',
      listing_failed: 'Check the storage, then scan again.',
      disordered: 'This engine can’t be scanned as long as it lists keys out of order.',
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

import { catalogue, formatCount, plural } from '../../i18n.ts'

const copies = (n: number) => plural(n, { one: 'copy', other: 'copies' })
const days = (n: number) => plural(n, { one: 'day', other: 'days' })

export const text = catalogue('recovery.text', {
  title: 'Protection',
  hint: 'What can be lost, and how do I get it back?',
  right: 'admin',
  // Contents of files
  contents: 'Contents of files',
  oneCopy: (mirrored: string) => `There is one copy only. If ${mirrored} is lost, its contents are lost.`,
  twoCopies: (mirror: string) => `Everything has a second copy on ${mirror}.`,
  filling: (mirror: string) =>
    `What was there before is still being copied to ${mirror}. If this place is lost now, the rest is lost.`,
  due: (n: number, mirror: string) => `${copies(n)} not on ${mirror} yet. If this place is lost now, they are lost.`,
  oldest: 'The oldest is due since',
  acknowledges: (acknowledge: 'one' | 'both') =>
    acknowledge === 'one'
      ? 'An upload is complete when one copy is written. The other follows.'
      : 'An upload is complete when both copies are written.',
  whenDown: (down: 'refuse' | 'continue') =>
    down === 'refuse'
      ? 'While one place is down, uploads are rejected.'
      : 'While one place is down, uploads continue with one copy.',
  keeps: (n: number) =>
    n === 0 ? 'What is removed is removed from both.' : `What is removed stays on the mirror for ${days(n)}.`,
  locks: (mirror: string) =>
    `${mirror} locks the copies (Object Lock): until then, they can’t be destroyed there, not even with its keys.`,
  wayBack: (name: string, mirror: string) => `If ${name} is lost: switch to ${mirror}. Nothing is copied.`,
  switched: (place: string) => `It was switched: its contents are read from the place of ${place} first.`,
  neverRead: 'It was never read as a whole to look for damage.',
  reading: 'It is being read as a whole to look for damage, since',
  readWhole: (checked: number) => `Read as a whole: ${copies(checked)}, no damage.`,
  readDamaged: (checked: number, damaged: number) =>
    `Read as a whole: ${copies(checked)}, ${formatCount(damaged)} missing or damaged.`,
  repairs: 'Show repairs',
  setUp: 'Set up mirror…',
  change: 'Change mirror…',
  switchTo: (mirror: string) => `Switch to ${mirror}…`,
  switchTitle: (name: string, mirror: string) => `Switch ${name} to ${mirror}?`,
  switchText: (name: string, mirror: string) =>
    `Everything is then read from ${mirror} and written there first. ${name} becomes the mirror, and is sent what it misses. The same button is the way back.`,
  switchMissing: (n: number) => `${copies(n)} not there yet can’t be read until the other place is back.`,
  switchDo: 'Switch',
  switchedTo: (mirror: string) => `Switched to ${mirror}`,
  // The dialog of a mirror
  mirrorTitle: (name: string) => `Mirror of ${name}`,
  mirrorHint:
    'A second place for all of its bytes, best on another machine. What is there already is copied in the background.',
  mirror: 'Storage of the second copy',
  noOther: 'There is no other storage yet. Register one first.',
  register: 'Register a storage',
  acknowledge: 'An upload is complete',
  acknowledgeOne: 'When one copy is written',
  acknowledgeBoth: 'When both copies are written',
  down: 'While one place is down',
  downRefuse: 'Reject uploads',
  downContinue: 'Continue with one copy',
  keepDays: 'Keep what is removed (days)',
  keepDaysHint: 'It stays on the mirror, safe from mistakes and from thieves on this machine.',
  saved: 'Mirror saved',
  turnOff: 'Turn off mirror',
  turnOffTitle: (name: string) => `Turn off the mirror of ${name}?`,
  turnOffText: 'New contents then have one copy only. What is on the mirror stays there.',
  turnedOff: 'Mirror turned off',
  // The database
  database: 'Names, users and settings',
  databaseOff:
    'The database has no second copy that this page knows of. If it is lost, all names, users, permissions and settings are lost, and the contents can’t be found without them.',
  databaseHow:
    'With SQLite, set this variable to a folder on another disk or to an S3 engine, and restart. With PostgreSQL, use its own replication.',
  databaseCopying: (place: string) =>
    `The first copy of the database is being written to ${place}. Until it is complete, nothing can be recovered from there.`,
  databaseFollows: (place: string) => `Every change of the database is copied to ${place}.`,
  databaseLoses: (span: string) => `If this machine is lost now, the changes of the last ${span} are lost.`,
  databaseFailing: (place: string) => `The copy at ${place} can’t be written:`,
  databaseStill: 'Everything can be recovered up to',
  databaseFenced: 'Another instance has taken over. This one must not write any more.',
  waiting: (size: string) => `Waiting to be copied: ${size}.`,
  base: (size: string) => `The newest whole copy has ${size}, from`,
  recover: 'On an empty machine, this command brings everything back:',
  backupState: (state: 'off' | 'copying' | 'following' | 'failing' | 'fenced') =>
    ({ off: 'No copy', copying: 'Starting', following: 'Up to date', failing: 'Failing', fenced: 'Taken over' })[state],
  // Replicas
  replicas: 'Replicas for others',
  noReplicas:
    'No bucket has a replica. A replica is a bucket of another S3 engine with the same files under the same names, readable without this service.',
  bucket: 'Bucket',
  place: 'Replica',
  state: 'State',
  paused: 'Paused',
  broken: 'Can’t be written',
  someFailed: (n: number) => `${formatCount(n)} failed`,
  replicaFilling: 'Being filled',
  behind: 'Catching up',
  upToDate: 'Up to date',
  lag: 'Behind',
  lagOf: (span: string, n: number, size: string) =>
    `${span} (${plural(n, { one: 'object', other: 'objects' })}, ${size})`,
  none: 'Nothing',
  replicate: 'Replicate a bucket…',
  edit: (bucket: string) => `Change the replica of ${bucket}`,
  pause: (bucket: string) => `Pause the replica of ${bucket}`,
  resume: (bucket: string) => `Resume the replica of ${bucket}, and retry what failed`,
  stop: (bucket: string) => `Stop replicating ${bucket}`,
  stopTitle: (bucket: string) => `Stop replicating ${bucket}?`,
  stopText: 'What is in the replica stays there.',
  stopDo: 'Stop replicating',
  stopped: 'Replication stopped',
  replicaTitle: 'Replicate a bucket',
  replicaHint:
    'Objects are written there with every change. What others write there under the same names is overwritten.',
  target: 'Storage',
  noTarget: 'A replica needs a registered storage on an S3 engine.',
  targetPrefix: 'Under prefix there',
  targetPrefixHint: 'Leave empty for the storage’s own.',
  onlyPrefix: 'Only this folder',
  onlyPrefixHint: 'Leave empty for the whole bucket.',
  deletes: 'Delete there what is deleted here',
  existing: 'Include what is there already',
  replicaDo: 'Start replicating',
  replicaSaved: (bucket: string) => `Replica of ${bucket} saved`,
  rules: (n: number) => `It has ${formatCount(n)} rules, which only the command line can change. Saving replaces them.`,
  // Encryption
  encryption: 'Theft of disks',
  encrypted: (share: string, part: string, all: string) =>
    `${share} of what is stored is encrypted (${part} of ${all}).`,
  notEncrypted: 'Nothing that is stored is encrypted: whoever has a disk can read it.',
  encryptHow: 'Each bucket’s Protection page encrypts it. The setting for new buckets is under Settings.',
  settings: 'Settings',
  keys: 'Encryption keys',
  // Mistakes
  mistakes: 'Mistakes and stolen keys',
  kept: (n: number) =>
    `Replaced and deleted files can be restored in all ${plural(n, { one: 'bucket', other: 'buckets' })}.`,
  notKept: 'In these buckets, deletions are permanent: they have neither a trash nor versions.',
  undoHow: 'The History page of a bucket shows it at any moment, what has changed since and who did it, and goes back.',
})

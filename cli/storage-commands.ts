import { attach } from './attach.ts'
import { BUCKET_OPTIONS, BUCKETS_USAGE, buckets } from './buckets.ts'
import type { Commands, Given, Options } from './command.ts'
import { findings } from './findings.ts'
import { fork } from './fork.ts'
import { INVENTORY_USAGE, inventories } from './inventories.ts'
import { JOBS_USAGE, jobs } from './jobs.ts'
import { migrate } from './migrate.ts'
import { release } from './release.ts'
import { REPLICATION_USAGE, replication } from './replication.ts'
import { SCAN_USAGE, scan } from './scan.ts'
import { snapshots } from './snapshots.ts'
import { PLACE_OPTIONS, type PlaceOptions, STORAGES_USAGE, storages } from './storages.ts'
import { takeOver } from './take-over.ts'
import { TRASH_USAGE, trash } from './trash.ts'

const json = { type: 'boolean' } as const
const yes = { type: 'boolean', short: 'y' } as const
const noWait = { type: 'boolean' } as const
/** Of commands that say what they would do, ask, and wait for its end. */
const planned = { 'dry-run': { type: 'boolean', short: 'n' }, yes, 'no-wait': noWait, json } as const
const planGiven = ({ flag }: Given) => ({ dryRun: flag('dry-run'), yes: flag('yes'), wait: !flag('no-wait') })
const placeOptions = {
  endpoint: { type: 'string' },
  region: { type: 'string' },
  'path-style': { type: 'string' },
  'access-key-id': { type: 'string' },
} as const satisfies Options
const ABOUT_PLACES = `      --endpoint URL       the S3 engine (default: AWS)
      --region R           its region
      --path-style true    true or false: the bucket is in the path, not in the host name (default: true with --endpoint)
      --access-key-id ID   asks for its secret, or reads it from standard input. Without it, the service uses the
                           credentials that the AWS SDK finds on its machine`

const placeGiven = ({ value }: Given): PlaceOptions =>
  Object.fromEntries(PLACE_OPTIONS.map((option) => [option, value(option)]))

/** The commands for storages and what is on them. */
export const storageCommands: Commands = {
  storages: {
    usage: STORAGES_USAGE,
    about: `Lists the storages: name, kind, place, buckets and their bytes, on or off. For administrators. With a word:

  add <name> <place>   test a place and add it as a storage if no check fails. A <place> is s3://bucket[/prefix] or
                       file:/absolute/folder
  set <name>           change how it is reached: --endpoint, --region, --path-style, or --access-key-id, whose secret it
                       asks for. The storage must be the same one, and be reached with what is new
  mirror <name> <storage>
                       keep a second copy of all its bytes on that one; "none" turns it off. "default" has one too
  failover <name>      read and write its mirror first, which copies nothing; the other place becomes the mirror
  test <name>          test a storage
  on|off <name>        use it, or not: while it is off, what lies on it answers 503
  remove <name>        forget a storage on which nothing lies any more
  events-token <name>  create the token with which the engine reports changes in attached buckets, and print it once

${ABOUT_PLACES}
      --read-only          with add and test: for attached buckets only, so nothing is written there
      --delete             with events-token: delete the token
      --accept-missing     with failover: also while the mirror lacks copies
      --json               one JSON object a line`,
    options: {
      json,
      ...placeOptions,
      'read-only': { type: 'boolean' },
      delete: { type: 'boolean' },
      'accept-missing': { type: 'boolean' },
    },
    words: [0, 3],
    work: (given, open) => {
      const { words, flag } = given
      const [deleted, readOnly, acceptMissing] = [flag('delete'), flag('read-only'), flag('accept-missing')]
      return storages(open(), words, { ...placeGiven(given), delete: deleted, readOnly, acceptMissing })
    },
  },
  buckets: {
    usage: BUCKETS_USAGE,
    about: `Creates a bucket, or changes its settings. "strongroom ls" lists them.

  create <bucket>   needs the permission to create one of that name
  set <bucket>      changes only what is given

      --quota-gb n           maximum size in gigabytes (1024³ bytes), fractions allowed, or none
      --history-quota-gb n   how much snapshots alone may keep before no more are taken, or none
      --quota-includes-history true
                             or false. With true, what snapshots alone keep takes room of the quota
      --trash-days n         days that deleted and overwritten objects stay restorable; 0: no trash
      --versioning enabled   or suspended. Once enabled, it cannot be turned off again
      --object-lock on       with versioning, and cannot be turned off again. To lock each new version by itself, give
                             a mode and a time: governance:30d, or compliance:1y
      --encryption AES256    of new objects whose upload says nothing of it: with keys of the service, of a key service
                             (aws:kms:<name of the key>), or none
      --storage name         with create: where its bytes are stored (default: default). For administrators
      --block-public-access true
                             with set: true or false. With true, nothing in it can be public at the S3 endpoint
      --json                 print the bucket as JSON`,
    options: {
      json,
      'quota-gb': { type: 'string' },
      'history-quota-gb': { type: 'string' },
      'quota-includes-history': { type: 'string' },
      'trash-days': { type: 'string' },
      versioning: { type: 'string' },
      'object-lock': { type: 'string' },
      encryption: { type: 'string' },
      storage: { type: 'string' },
      'block-public-access': { type: 'string' },
    },
    words: [2, 2],
    work: ({ words, value }, open) =>
      buckets(open(), words, Object.fromEntries(BUCKET_OPTIONS.map((option) => [option, value(option)]))),
  },
  snapshot: {
    usage: 'snapshot create|ls|rm [--at t] [--note s] [--expires 30d] [--json] <bucket> [name]',
    about: `Keeps what a bucket is now, or was at a moment, under a name. It can be read by any S3 client, as <bucket>.at-<name>.

  create <bucket> <name>   prints the moment
  ls <bucket>              the latest first: moment, name, end and note
  rm <bucket> <name>       what only it kept is deleted

      --at t         with create: what it was at this time, such as 2026-11-27T14:05:00Z
      --note s       with create: what it is for
      --expires 30d  with create: when it ends by itself, in hours, days or weeks
      --json         one JSON object a line`,
    options: { at: { type: 'string' }, note: { type: 'string' }, expires: { type: 'string' }, json },
    words: [2, 3],
    work: ({ words, value }, open) =>
      snapshots(open(), words, { at: value('at'), note: value('note'), expires: value('expires') }),
  },
  fork: {
    usage: 'fork [--at t] [--prefix p] [--expires 7d] [--no-wait] [--json] <bucket> <new bucket>',
    about: `Creates a bucket that starts as another one is, or was. The bytes are shared; neither sees what changes in the other.

      --at t        what it was at this time, such as 2026-11-27T14:05:00Z, or in this snapshot
      --prefix p    only what has this prefix
      --expires 7d  when it is deleted, with all that is in it, in hours, days or weeks
      --no-wait     do not wait until it is whole
      --json        print the bucket as JSON`,
    options: {
      at: { type: 'string' },
      prefix: { type: 'string' },
      expires: { type: 'string' },
      'no-wait': { type: 'boolean' },
      json,
    },
    words: [2, 2],
    work: ({ words: [bucket = '', name = ''], value, flag }, open) =>
      fork(open(), bucket, name, {
        at: value('at'),
        prefix: value('prefix'),
        expires: value('expires'),
        wait: !flag('no-wait'),
      }),
  },
  inventory: {
    usage: INVENTORY_USAGE,
    about: `Writes what is in a bucket, or in all of them, as tables that DuckDB, pyarrow and others read.

  ls [bucket]             the inventories that you may change
  create <bucket> <name>  needs --to. Instead of the bucket, "all" is all of them, for administrators
  set <bucket> <name>     changes only what is given
  run <bucket> <name>     write it now
  runs <bucket> <name>    what was written, the latest first
  cancel <bucket> <name>  end the unfinished run
  rm <bucket> <name>      what was written stays

      --to sr:bucket/prefix  where it is written to
      --prefix p             only keys that start with this
      --format parquet       or csv, compressed with gzip
      --schedule daily       or weekly (on Sundays), or none: only with "run"
      --hour 1               of the schedule, in UTC
      --columns a,b          only these
      --versions             also versions that are not current, and delete markers
      --no-changes           without the changes since the one before
      --no-wait              with run: do not wait until it is written
      --json                 one JSON object a line`,
    options: {
      json,
      to: { type: 'string' },
      prefix: { type: 'string' },
      format: { type: 'string' },
      schedule: { type: 'string' },
      hour: { type: 'string' },
      columns: { type: 'string' },
      versions: { type: 'boolean' },
      'no-changes': { type: 'boolean' },
      'no-wait': { type: 'boolean' },
    },
    words: [1, 3],
    work: ({ words, flag, value }, open) =>
      inventories(open(), words, {
        to: value('to'),
        prefix: value('prefix'),
        format: value('format'),
        schedule: value('schedule'),
        hour: value('hour'),
        columns: value('columns'),
        versions: flag('versions'),
        noChanges: flag('no-changes'),
        wait: !flag('no-wait'),
      }),
  },
  trash: {
    usage: TRASH_USAGE,
    about: `Lists what is in the trash of a bucket, the latest first: id, size, time, reason and key. Or:

  list <bucket or sr:bucket/prefix>     what is in it, or in a folder
  restore <bucket> <id …>                 restore these
  restore <sr:bucket/key or folder/>    restore what was last deleted under that key, or in that folder
  empty <bucket>                          delete everything in it permanently, except what is locked

  -y, --yes   with empty: do not ask; without a terminal, nothing is asked
      --json  one JSON object a line; of empty, the number and bytes that were deleted`,
    options: { yes, json },
    words: [2, 1002],
    work: ({ words, flag }, open) => trash(open(), words, flag('yes')),
  },
  jobs: {
    usage: JOBS_USAGE,
    about: `Lists your jobs, the latest first: id, when it was started, kind, status, how many objects are done, and the bucket.
Administrators see everyone's.

  cancel <id>  end a job; what it has done stays

      --json   one JSON object a line`,
    options: { json },
    words: [0, 2],
    work: ({ words }, open) => jobs(open(), words),
  },
  migrate: {
    usage: 'migrate [--no-wait] [--json] <bucket> <storage>',
    about: `Moves a bucket's bytes to another storage while the bucket is in use. For administrators.

A job of the service does it. Ctrl-C leaves that running; to follow it again, run the same command again.

      --no-wait  print the job's id instead of waiting for its end
      --json     print the job as JSON`,
    options: { 'no-wait': noWait, json },
    words: [2, 2],
    work: ({ words: [bucket = '', storage = ''], flag }, open) => migrate(open(), bucket, storage, !flag('no-wait')),
  },
  replication: {
    usage: REPLICATION_USAGE,
    about: `Keeps a copy of a bucket's objects in a bucket of an S3 engine, under their own keys. For administrators.

  set <bucket> <storage>  start, or change how: everything, unless --only or --tag say less
  status <bucket>         what is waiting, for how long, and what has failed
  failures <bucket>       what has failed, and why
  verify <bucket>         compare both sides and name every difference. Exit code 1: there are some
  pause|resume <bucket>   changes stay queued; resume also tries again what has failed
  rm <bucket>             end it; what is there stays

      --prefix p          with set: under which prefix there (default: the storage's)
      --only p            with set: only keys that start with this; several times for several
      --tag name=value    with set: only objects with this tag; several times for all of several
      --deletes           with set: delete there what is deleted here. Not with --tag
      --new-only          with set: leave out what is there already
      --encrypted plain   with set: send encrypted objects decrypted, through TLS; engine: and have them encrypted there
                          (default: refuse)
  -y, --yes               with rm: do not ask; without a terminal, nothing is asked
      --json              print it as JSON; of failures and verify, one object a line`,
    options: {
      json,
      yes,
      prefix: { type: 'string' },
      only: { type: 'string', multiple: true },
      tag: { type: 'string', multiple: true },
      encrypted: { type: 'string' },
      deletes: { type: 'boolean' },
      'new-only': { type: 'boolean' },
    },
    words: [2, 3],
    work: ({ words, flag, value, values }, open) =>
      replication(open(), words, {
        prefix: value('prefix'),
        encrypted: value('encrypted'),
        only: values('only'),
        tags: values('tag'),
        deletes: flag('deletes'),
        newOnly: flag('new-only'),
        yes: flag('yes'),
      }),
  },
  attach: {
    usage: 'attach [--bucket name] [--storage name] [--yes] [--no-wait] [--json] <s3://bucket[/prefix]>',
    about: `Shows what is in a bucket of an S3 engine as a read-only bucket. Nothing is ever written there. For administrators.

Tests the place, shows its first objects, asks, adds it as a storage unless it is in one already, and creates the
bucket. Then it waits for the first scan, which finds the objects. Ctrl-C leaves that running.

      --bucket name        name of the new bucket (default: that of the engine's bucket)
      --storage name       use this storage, in which a prefix alone is enough; or name of the one that is added
${ABOUT_PLACES}
  -y, --yes                attach without asking; without a terminal, nothing is asked
      --no-wait            do not wait for the first scan
      --json               print the checks, the storage, the bucket and the scan as JSON`,
    options: {
      ...placeOptions,
      bucket: { type: 'string' },
      storage: { type: 'string' },
      yes,
      'no-wait': noWait,
      json,
    },
    words: [1, 1],
    work: (given, open) => {
      const { words, flag, value } = given
      return attach(open(), words[0] ?? '', {
        ...placeGiven(given),
        bucket: value('bucket'),
        storage: value('storage'),
        yes: flag('yes'),
        wait: !flag('no-wait'),
      })
    },
  },
  scan: {
    usage: SCAN_USAGE,
    about: `Compares an attached bucket with what is on its storage, and waits for the end of that. With a word:

  list <bucket>         its scans, the latest first
  absences <bucket>     the objects that the held scan would mark as missing
  confirm <bucket>      have it mark them; for administrators. For both, the id of a scan can be given instead

If a scan is queued or running already, that is followed. Ctrl-C leaves it running. Exit code 1: the scan is held.

  -y, --yes      with confirm: do not ask; without a terminal, nothing is asked
      --no-wait  print the scan's id instead of waiting for its end
      --json     print the scan as JSON; list and absences, one JSON object a line`,
    options: { yes, 'no-wait': noWait, json },
    words: [1, 2],
    work: ({ words, flag }, open) => scan(open(), words, { yes: flag('yes'), wait: !flag('no-wait') }),
  },
  'take-over': {
    usage:
      'take-over [--quiet-hours n] [--storage name] [--without-missing] [--dry-run] [--yes] [--no-wait] [--json] <bucket>',
    about: `Has a read-only bucket become the service's own without copying it: then its objects can be renamed, replaced and
deleted. Their bytes stay where they are, and only the service may write there from then on. For administrators.

Says what would happen and what stands in the way, asks, and waits for the scan that takes the bucket over if nothing
has changed. Ctrl-C leaves that running; to follow it again, run the same command again. Exit code 1: it was not taken
over, or cannot be yet.

      --quiet-hours n  others must have changed nothing for this long (default: 24)
      --storage name   where new bytes go (default: default)
      --without-missing
                       leave out the objects that are marked as missing, which are named first
  -n, --dry-run        only say what would happen
  -y, --yes            do not ask; without a terminal, nothing is asked
      --no-wait        print the scan's id instead of waiting for its end
      --json           print what would happen, the scan and the bucket as JSON`,
    options: {
      'quiet-hours': { type: 'string' },
      storage: { type: 'string' },
      'without-missing': { type: 'boolean' },
      ...planned,
    },
    words: [1, 1],
    work: (given, open) => {
      const { words, value, flag } = given
      const [bucket = ''] = words
      const asked = {
        quietHours: value('quiet-hours'),
        storage: value('storage'),
        withoutMissing: flag('without-missing'),
      }
      return takeOver(open(), bucket, { ...planGiven(given), ...asked })
    },
  },
  findings: {
    usage: 'findings [--json] <bucket>',
    about: `Lists what others did where a bucket was taken over: kind, size now, when it was found, and key. The kinds are changed
(they wrote something else under it), missing (they deleted it) and foreign (they put it there).

      --json  one JSON object a line`,
    options: { json },
    words: [1, 1],
    work: ({ words: [bucket = ''] }, open) => findings(open(), bucket),
  },
  release: {
    usage: 'release [--storage name [--prefix p]] [--dry-run] [--yes] [--no-wait] [--json] <bucket>',
    about: `Detaches a read-only bucket: the service forgets it, with its links and tags. Everything on the storage stays.
For administrators.

Of a bucket that was taken over, a job writes every object to an empty place on another storage, reads it again and
compares it; until that is done, the bucket cannot be changed. Then it is a read-only bucket that shows them there.
Ctrl-C leaves the job running; to follow it again, run the same command again.

      --storage name  where the objects are written; required for a bucket that was taken over, and only for one
      --prefix p      under which prefix there (default: the storage's)
  -n, --dry-run       only say what would happen
  -y, --yes           do not ask; without a terminal, nothing is asked
      --no-wait       print the job's id instead of waiting for its end
      --json          print the result, or the job, as JSON`,
    options: {
      storage: { type: 'string' },
      prefix: { type: 'string' },
      ...planned,
    },
    words: [1, 1],
    work: (given, open) => {
      const { words, value } = given
      const [bucket = ''] = words
      const to = { storage: value('storage'), prefix: value('prefix') }
      return release(open(), bucket, { ...planGiven(given), ...to })
    },
  },
}

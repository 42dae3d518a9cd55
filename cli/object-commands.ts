import { access } from './access.ts'
import type { Commands } from './command.ts'
import { UsageError } from './config.ts'
import { copy, move, remove } from './copy.ts'
import { exportFound, find } from './find.ts'
import { list } from './list.ts'
import { orphans } from './orphans.ts'
import { bytesText, print, type Run } from './run.ts'
import { share } from './share.ts'
import { sync } from './sync.ts'
import { tag } from './tag.ts'
import { listVersions, restoreVersion } from './versions.ts'

const many = {
  recursive: { type: 'boolean', short: 'r' },
  jobs: { type: 'string', short: 'j' },
  json: { type: 'boolean' },
} as const

/** The commands for objects and links to them. */
export const objectCommands: Commands = {
  ls: {
    usage: 'ls [-r] [-l] [--json] [sr:bucket[/folder]]',
    about: `Lists buckets, or the contents of a folder.

  -r, --recursive   all objects below, not only those of this folder
  -l, --long        with size and time
      --json        one JSON object a line, with unescaped keys`,
    options: { recursive: many.recursive, long: { type: 'boolean', short: 'l' }, json: many.json },
    words: [0, 1],
    work: ({ words, flag }, run) => list(run(), words[0], { recursive: flag('recursive'), long: flag('long') }),
  },
  find: {
    usage: 'find [--bucket name] [--at t] [-l] [--json] [--csv] <query>',
    about: `Finds objects by name, tags, metadata, type, size, time and writer, in all buckets or one:

  strongroom find 'tag:project=apollo type:image/* size:>10MB modified:<7d name:*report*'

      --bucket name  only in this bucket
      --at t         as it was at this time, such as 2026-11-27T14:05:00Z, or in this snapshot
  -l, --long         with size and time
      --json         one JSON object a line, with unescaped keys
      --csv          a table with all that is known of each; cells that a spreadsheet would read as a formula start with '`,
    options: {
      bucket: { type: 'string' },
      csv: { type: 'boolean' },
      at: { type: 'string' },
      long: { type: 'boolean', short: 'l' },
      json: many.json,
    },
    words: [1, 64],
    work: ({ words, flag, value }, run) => {
      const wanted = { bucket: value('bucket'), long: flag('long'), at: value('at') }
      return (flag('csv') ? exportFound : find)(run(), words.join(' '), wanted)
    },
  },
  tag: {
    usage:
      'tag [--add name=value] [--remove name] [--replace name=value] [--clear] [--find query] [--dry-run] [--yes] [--no-wait] [--json] <bucket or sr:path>',
    about: `Changes the tags of an object, or of everything in a bucket or folder. Says how many objects that is, asks, and follows
the job, which can be undone.

      --add name=value      give this tag; can be given several times, as the next two
      --remove name         take this tag away
      --replace name=value  have this tag, and no others that are not given
      --clear               have no tags
      --find query          only what this finds: see "strongroom find"
  -n, --dry-run             only say how many objects it is about
  -y, --yes                 do not ask
      --no-wait             print the job's id and do not wait
      --json                print the job as JSON`,
    options: {
      add: { type: 'string', multiple: true },
      remove: { type: 'string', multiple: true },
      replace: { type: 'string', multiple: true },
      clear: { type: 'boolean' },
      find: { type: 'string' },
      'dry-run': { type: 'boolean', short: 'n' },
      yes: { type: 'boolean', short: 'y' },
      'no-wait': { type: 'boolean' },
      json: many.json,
    },
    words: [1, 1],
    work: ({ words: [target = ''], flag, value, values }, run) =>
      tag(run(), target, {
        add: values('add'),
        remove: values('remove'),
        replace: values('replace'),
        clear: flag('clear'),
        query: value('find'),
        dryRun: flag('dry-run'),
        yes: flag('yes'),
        wait: !flag('no-wait'),
      }),
  },
  access: {
    usage: 'access [--json] <bucket or sr:path>',
    about: `Lists who has access to a bucket, a folder or an object, and why: users, anyone, and roles.

What a path ends with says what it is: sr:photos/2026/ is a folder, sr:photos/2026/a.jpg an object. It needs manage on
the bucket, or users.manage.

      --json  one JSON object a line`,
    options: { json: many.json },
    words: [1, 1],
    work: ({ words: [target = ''] }, run) => access(run(), target),
  },
  orphans: {
    usage:
      'orphans --needed list [--report sr:bucket/folder/] [--delete] [--yes] [--no-wait] [--json] <bucket or sr:path>',
    about: `Compares a list of the keys that an application needs with a bucket: what the bucket lacks, and what nobody needs.

The list has one key a line; a line that starts with a quotation mark is a JSON string. A file is uploaded into the bucket
for that time. What changed after the list was made stays. Deleted objects go to the trash, as with any deletion.

      --needed list  a file, or sr:bucket/key
      --report path  where to write all keys, as orphans.txt and missing.txt
      --delete       delete what nobody needs, after asking
  -y, --yes          do not ask
      --no-wait      print the job's id and do not wait
      --json         print the plan and the job as JSON`,
    options: {
      needed: { type: 'string' },
      report: { type: 'string' },
      delete: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      'no-wait': { type: 'boolean' },
      json: many.json,
    },
    words: [1, 1],
    async work({ words: [target = ''], flag, value }, run) {
      const needed = value('needed')
      if (needed === undefined) throw new UsageError('Give the list of needed keys: --needed keys.txt')
      const wanted = {
        needed,
        report: value('report'),
        delete: flag('delete'),
        yes: flag('yes'),
        wait: !flag('no-wait'),
      }
      await orphans(run(), target, wanted)
    },
  },
  cp: {
    usage: 'cp [-r] [-j n] [--version id] [--keep-both] [--json] <from> <to>',
    about: `Copies a file to, from, or within the service. At least one side is sr:bucket/key.

A <to> that ends with "/" is a folder: the file keeps its name. "-" is standard input or output.
Files of 32 MiB and more are uploaded in parts, several at once. After an interruption, run the same command again to
resume an upload or a download.

  -r, --recursive   copy the contents of folder <from> into folder <to>
  -j, --jobs n      parallel transfers (default 8)
      --version id  download this version of the object
      --keep-both   within the service: where the key is in use, copy next to it, as a (1).txt
      --json        print the result as JSON`,
    options: { ...many, version: { type: 'string' }, 'keep-both': { type: 'boolean' } },
    words: [2, 2],
    live: true,
    async work({ words: [from = '', to = ''], flag, value }, open) {
      const run = open()
      const which = { recursive: flag('recursive'), keepBoth: flag('keep-both'), version: value('version') }
      await copy(run, from, to, which)
      if (from !== '-' && to !== '-') await conclude(run, 'copied')
    },
  },
  mv: {
    usage: 'mv [-r] [--keep-both] [--json] <sr:from> <sr:to>',
    about: `Moves or renames within the service. No data is copied, so the size does not matter.

  -r, --recursive   move the contents of folder <from> into folder <to>
      --keep-both   where the key is in use, move next to it, as a (1).txt
      --json        print the result as JSON`,
    options: { ...many, 'keep-both': { type: 'boolean' } },
    words: [2, 2],
    live: true,
    async work({ words: [from = '', to = ''], flag }, open) {
      const run = open()
      await move(run, from, to, { recursive: flag('recursive'), keepBoth: flag('keep-both') })
      await conclude(run, 'moved')
    },
  },
  rm: {
    usage: 'rm [-r] [--version id] [--json] <sr:path>',
    about: `Deletes an object, to the trash if the bucket has one. In a bucket that keeps versions it stays as one.

  -r, --recursive   everything in the folder
      --version id  this version of the object, to the trash
      --json        print the result as JSON`,
    options: { ...many, version: { type: 'string' } },
    words: [1, 1],
    live: true,
    async work({ words: [target = ''], flag, value }, open) {
      const run = open()
      run.progress.files = await remove(run, target, { recursive: flag('recursive'), version: value('version') })
      await conclude(run, 'deleted')
    },
  },
  versions: {
    usage: 'versions [-r] [--json] <sr:path>',
    about: `Lists what an object was: its versions with their ids, sizes and times, the latest first.

  -r, --recursive   of everything in the folder
      --json        one JSON object a line`,
    options: { recursive: many.recursive, json: many.json },
    words: [1, 1],
    work: ({ words: [target = ''], flag }, run) => listVersions(run(), target, flag('recursive')),
  },
  restore: {
    usage: 'restore [--version id] [--json] <sr:path>',
    about: `Brings an object back in a bucket that keeps versions: undoes its deletion, or makes a version current again.

      --version id  the version to make current
      --json        print the result as JSON`,
    options: { version: { type: 'string' }, json: many.json },
    words: [1, 1],
    async work({ words: [target = ''], value }, open) {
      const run = open()
      await restoreVersion(run, target, value('version'))
      await conclude(run, 'restored')
    },
  },
  sync: {
    usage: 'sync [--delete] [--checksum] [--dry-run] [-j n] [--json] <from> <to>',
    about: `Makes the folder <to> match the folder <from>: to, from, or within the service.

Transfers files that are missing or differ in size or time. Symbolic links are not followed.

      --delete       delete files in <to> that are not in <from>; not after a failure
      --allow-empty  allow --delete when <from> is empty
      --checksum     compare contents (MD5) instead of times
  -n, --dry-run      only print what would be done
  -j, --jobs n       parallel transfers (default 8)
      --json         print the result as JSON`,
    options: {
      jobs: many.jobs,
      json: many.json,
      delete: { type: 'boolean' },
      'allow-empty': { type: 'boolean' },
      checksum: { type: 'boolean' },
      'dry-run': { type: 'boolean', short: 'n' },
    },
    words: [2, 2],
    live: true,
    async work({ words: [from = '', to = ''], flag }, open) {
      const run = open()
      const { unchanged, deleted } = await sync(run, from, to, {
        checksum: flag('checksum'),
        delete: flag('delete'),
        allowEmpty: flag('allow-empty'),
        dryRun: flag('dry-run'),
      })
      await conclude(run, flag('dry-run') ? 'to transfer' : 'transferred', { unchanged, deleted })
    },
  },
  share: {
    usage:
      'share [--expires 7d] [--password] [--max-downloads n] [--each] [--find query] [--dry-run] [--yes] [--csv] [--json] <sr:path>',
    about: `Creates a link that anyone can open, and prints its URL. A path that ends with "/" is a folder.

With --each or --find it creates a link to each object of a bucket or folder, at most 1,000: it says how many, asks, and prints each URL.

      --expires 7d        15m, 12h, 7d, or never; the service's settings have the default and the maximum
      --password          protect the link with a password, from a prompt or standard input
      --max-downloads n   maximum number of downloads
      --filename name     file name to save as
      --attachment        browsers save the file instead of displaying it
      --each              a link to each object, not one to all
      --find query        a link to each object that this finds: see "strongroom find"
  -n, --dry-run           with --each or --find: only say how many links there would be
  -y, --yes               with --each or --find: do not ask
      --csv               with --each or --find: a table of keys and URLs
      --json              print all properties of the link as JSON, of several one a line`,
    options: {
      each: { type: 'boolean' },
      find: { type: 'string' },
      'dry-run': { type: 'boolean', short: 'n' },
      yes: { type: 'boolean', short: 'y' },
      csv: { type: 'boolean' },
      json: many.json,
      expires: { type: 'string' },
      password: { type: 'boolean' },
      'max-downloads': { type: 'string' },
      filename: { type: 'string' },
      attachment: { type: 'boolean' },
    },
    words: [1, 1],
    work: share,
  },
}

/** Prints the result as one line or as JSON. */
async function conclude(run: Run, deed: string, more: Record<string, number> = {}): Promise<void> {
  const { files, bytes, failures } = run.progress
  run.progress.end()
  if (run.json) return print(`${JSON.stringify({ files, bytes, ...more, failed: failures })}\n`)
  const rest = Object.entries({ ...more, failed: failures.length }).filter(([, count]) => count > 0)
  const counts = [
    `${files} ${deed}${bytes > 0 ? ` (${bytesText(bytes)})` : ''}`,
    ...rest.map(([of, n]) => `${n} ${of}`),
  ]
  await print(`${counts.join(', ')}\n`)
}

import { parseArgs } from 'node:util'
import { openClient, UsageError } from './config.ts'
import { copy, move, remove } from './copy.ts'
import { list } from './list.ts'
import { login, logout } from './login.ts'
import { migrate } from './migrate.ts'
import { remotePlace } from './places.ts'
import { bytesText, describe, Progress, print, type Run, readSecret } from './run.ts'
import { PLACE_OPTIONS, STORAGES_USAGE, storages } from './storages.ts'
import { sync } from './sync.ts'
import { listVersions, restoreVersion } from './versions.ts'

type Options = Record<string, { type: 'boolean' | 'string'; short?: string; multiple?: false }>
interface Given {
  words: string[]
  flag(name: string): boolean
  value(name: string): string | undefined
}
interface Command {
  usage: string
  about: string
  options: Options
  words: [least: number, most: number]
  /** It displays its progress on a terminal. */
  live?: true
  work(given: Given, run: () => Run): Promise<void>
}

const common = {
  help: { type: 'boolean', short: 'h' },
  profile: { type: 'string' },
} as const satisfies Options
const many = {
  recursive: { type: 'boolean', short: 'r' },
  jobs: { type: 'string', short: 'j' },
  json: { type: 'boolean' },
} as const satisfies Options

const commands: Record<string, Command> = {
  ls: {
    usage: 'ls [-r] [-l] [--json] [stow:bucket[/folder]]',
    about: `Lists buckets, or the contents of a folder.

  -r, --recursive   all objects below, not only those of this folder
  -l, --long        with size and time
      --json        one JSON object a line, with unescaped keys`,
    options: { recursive: many.recursive, long: { type: 'boolean', short: 'l' }, json: many.json },
    words: [0, 1],
    work: ({ words, flag }, run) => list(run(), words[0], { recursive: flag('recursive'), long: flag('long') }),
  },
  cp: {
    usage: 'cp [-r] [-j n] [--version id] [--json] <from> <to>',
    about: `Copies a file to, from, or within the service. At least one side is stow:bucket/key.

A <to> that ends with "/" is a folder: the file keeps its name. "-" is standard input or output.
Files of 32 MiB and more are uploaded in parts, several at once. After an interruption, run the same command again to
resume an upload or a download.

  -r, --recursive   copy the contents of folder <from> into folder <to>
  -j, --jobs n      parallel transfers (default 8)
      --version id  download this version of the object
      --json        print the result as JSON`,
    options: { ...many, version: { type: 'string' } },
    words: [2, 2],
    live: true,
    async work({ words: [from = '', to = ''], flag, value }, open) {
      const run = open()
      await copy(run, from, to, { recursive: flag('recursive'), version: value('version') })
      if (from !== '-' && to !== '-') await conclude(run, 'copied')
    },
  },
  mv: {
    usage: 'mv [-r] [--json] <stow:from> <stow:to>',
    about: `Moves or renames within the service. No data is copied, so the size does not matter.

  -r, --recursive   move the contents of folder <from> into folder <to>
      --json        print the result as JSON`,
    options: many,
    words: [2, 2],
    live: true,
    async work({ words: [from = '', to = ''], flag }, open) {
      const run = open()
      await move(run, from, to, flag('recursive'))
      await conclude(run, 'moved')
    },
  },
  rm: {
    usage: 'rm [-r] [--version id] [--json] <stow:path>',
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
    usage: 'versions [-r] [--json] <stow:path>',
    about: `Lists what an object was: its versions with their ids, sizes and times, the latest first.

  -r, --recursive   of everything in the folder
      --json        one JSON object a line`,
    options: { recursive: many.recursive, json: many.json },
    words: [1, 1],
    work: ({ words: [target = ''], flag }, run) => listVersions(run(), target, flag('recursive')),
  },
  restore: {
    usage: 'restore [--version id] [--json] <stow:path>',
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
    usage: 'share [--expires 7d] [--password] [--max-downloads n] [--json] <stow:path>',
    about: `Creates a link that anyone can open, and prints its URL. A path that ends with "/" is a folder.

      --expires 7d        15m, 12h, 7d, or never; the service's settings have the default and the maximum
      --password          protect the link with a password, from a prompt or standard input
      --max-downloads n   maximum number of downloads
      --filename name     file name to save as
      --attachment        browsers save the file instead of displaying it
      --json              print all properties of the link as JSON`,
    options: {
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
  storages: {
    usage: STORAGES_USAGE,
    about: `Lists the storages: name, kind, place, buckets and their bytes, on or off. For administrators. With a word:

  add <name> <place>  test a place and add it as a storage if no check fails. A <place> is s3://bucket[/prefix] or
                      file:/absolute/folder
  test <name>         test a storage
  on|off <name>       use it, or not: while it is off, what lies on it answers 503
  remove <name>       forget a storage on which nothing lies any more

      --endpoint URL       the S3 engine (default: AWS)
      --region R           its region
      --path-style true    true or false: the bucket is in the path, not in the host name (default: true with --endpoint)
      --access-key-id ID   asks for its secret, or reads it from standard input. Without it, the service uses the
                           credentials that the AWS SDK finds on its machine
      --json               one JSON object a line`,
    options: {
      json: many.json,
      endpoint: { type: 'string' },
      region: { type: 'string' },
      'path-style': { type: 'string' },
      'access-key-id': { type: 'string' },
    },
    words: [0, 3],
    work: ({ words, value }, open) =>
      storages(open(), words, Object.fromEntries(PLACE_OPTIONS.map((option) => [option, value(option)]))),
  },
  migrate: {
    usage: 'migrate [--no-wait] [--json] <bucket> <storage>',
    about: `Moves a bucket's bytes to another storage while the bucket is in use. For administrators.

A job of the service does it. Ctrl-C leaves that running; to follow it again, run the same command again.

      --no-wait  print the job's id instead of waiting for its end
      --json     print the job as JSON`,
    options: { 'no-wait': { type: 'boolean' }, json: many.json },
    words: [2, 2],
    live: true,
    work: ({ words: [bucket = '', storage = ''], flag }, open) => migrate(open(), bucket, storage, !flag('no-wait')),
  },
  login: {
    usage: 'login [--email e] [--token-stdin] [--expires 90d] [--profile p] <url>',
    about: `Signs in to a service and stores a personal access token for this machine, readable only by you.
Asks for the password, or reads it from standard input.

      --email e       email address to sign in with
      --token-stdin   store the token from standard input instead, for example with single sign-on
      --expires 90d   lifetime of the token: 30d, 90d, 365d or never
      --profile p     store it under this name (default: "default")`,
    options: { email: { type: 'string' }, 'token-stdin': { type: 'boolean' }, expires: { type: 'string' } },
    words: [1, 1],
    work: ({ words: [url = ''], flag, value }) =>
      login(url, {
        profile: value('profile'),
        email: value('email'),
        tokenStdin: flag('token-stdin'),
        expires: value('expires'),
      }),
  },
  logout: {
    usage: 'logout [--profile p]',
    about: 'Removes a profile and revokes the token that "strongroom login" created for it.',
    options: {},
    words: [0, 0],
    work: ({ value }) => logout(value('profile')),
  },
}

async function share({ words: [target = ''], flag, value }: Given, open: () => Run): Promise<void> {
  const { bucket, key } = remotePlace(target)
  const run = open()
  const downloads = value('max-downloads')
  const link = await run.client.createShare({
    body: {
      bucket,
      ...(key === '' || key.endsWith('/') ? { kind: 'folder', prefix: key } : { kind: 'object', key }),
      ...(value('expires') !== undefined && { expires_in: value('expires') as string }),
      ...(flag('password') && { password: await readSecret('Link password: ') }),
      ...(downloads !== undefined && { max_downloads: numberOf('--max-downloads', downloads) }),
      ...(value('filename') !== undefined && { filename: value('filename') as string }),
      ...(flag('attachment') && { disposition: 'attachment' as const }),
    },
  })
  await print(run.json ? `${JSON.stringify(link)}\n` : `${link.url}\n`)
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

function numberOf(option: string, text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(`${option} must be a number.`)
}

/** The commands that use a service's API; all others open its database. */
export const isClientCommand = (name: string): boolean => Object.hasOwn(commands, name)

export const clientUsage = Object.values(commands)
  .map(({ usage }) => `  ${usage}`)
  .join('\n')

/** Runs a command; returns the exit code: 0 success, 1 something failed, 2 incorrect usage. */
export async function runClientCommand(name: string, args: readonly string[]): Promise<number> {
  const command = commands[name] as Command
  // The reader of our output closed the pipe.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  let run: Run | undefined
  try {
    const { values, positionals: words } = parse(command, args)
    const flag = (option: string) => values[option] === true
    const value = (option: string) => values[option] as string | undefined
    if (flag('help')) {
      await print(`usage: strongroom ${command.usage}\n\n${command.about}\n`)
      return 0
    }
    const [least, most] = command.words
    if (words.length < least || words.length > most) throw new UsageError(`usage: strongroom ${command.usage}`)
    await command.work({ words, flag, value }, () => {
      const json = flag('json')
      const jobs = numberOf('--jobs', value('jobs') ?? '8')
      const client = openClient(value('profile'))
      run = { client, json, jobs, progress: new Progress(process.stderr.isTTY && !json && command.live === true) }
      return run
    })
    return run && run.progress.failures.length > 0 ? 1 : 0
  } catch (error) {
    run?.progress.end()
    process.stderr.write(`strongroom: ${describe(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  } finally {
    run?.progress.end()
  }
}

function parse(
  { options, usage }: Command,
  args: readonly string[],
): { values: Record<string, string | boolean | undefined>; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: { ...options, ...common }, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nusage: strongroom ${usage}`)
  }
}

#!/usr/bin/env node
import './process/runtime.ts'
import { parseArgs } from 'node:util'
import { Refusal } from './base/refusal.ts'
import { version } from './base/version.ts'
import { type Config, ConfigError, type Env, readConfig } from './config/config.ts'
import type { Role } from './config/role.ts'
import { withSecretFiles } from './config/secret-files.ts'
import { type Announcement, announcement } from './process/announce.ts'
import { isCommand, runCommand } from './process/commands.ts'
import { processesOf } from './process/how-many.ts'
import type { Accepted } from './process/instance/join.ts'
import { withKeptKey } from './process/instance/secret-key.ts'

const USAGE = `usage: strongroom <command>

  start                             serve with a process per CPU, S3 clients too; on first start, generates a
                                    SECRET_KEY and keeps it in the data folder
  serve                             serve with one process; SECRET_KEY is required
      --workers <n>                   run n processes; "auto": one per CPU, as far as there are 512 MiB for each
      --no-background                 only answer requests; background workers run elsewhere
      --accept-new-key                start with a different SECRET_KEY when the previous one is lost permanently
      --accept-new-storage            start with storage that this database does not know, or that lost its contents
  worker                            run only the background workers; health checks answer on HOST:PORT
  create-admin <email> [name]       create an administrator; prints a generated password, or reads one
                                    from standard input with --password-stdin
  reset-password <email>            set a user's password, in the same two ways, and re-enable the user
  reset-second-factor <email>       remove all second factors of a user, with their recovery codes
  enable-local-login                turn login with email and password back on
  users list                        list all users, one per line
  verify [--deep] [--fix [--yes-remove <n>]]
                                    compare the database with storage, and counters with the rows they count;
                                    --deep reads all contents; --fix corrects counters and sets orphaned blobs aside;
                                    for more than a tenth of all blobs, <n> must be their exact number
  audit verify [--from <n>] [--checkpoints <file>]
                                    check the audit log for tampering; exit code 3 if there is any
  backup <file>                     copy the SQLite database; safe while the service is running
  recover [--from <url>] [--at <time>] [--dry-run]
                                    make the SQLite database again from what the service has copied to BACKUP_URL,
                                    or to --from: as of the last moment, or of --at; never overwrites a database
  recover [--since <time>] [--dry-run]
                                    with PostgreSQL, after a standby was promoted or a backup restored: compare the
                                    database with all copies of its contents (--since: of those uploaded after it),
                                    and make it the one that may write; the former one is refused from then on
  standby [--from <url>] [--serve]  follow a service by what it copies to its BACKUP_URL, or --from; with --serve,
                                    answer reads; keeps running until it is stopped or promoted
  promote [--from <url>] [--supersede]
                                    make the standby the service that may write; the former one is refused from then on;
                                    with --supersede also where another has taken over whose changes are not here
  move-database --to <database URL>
                                    move everything between SQLite and PostgreSQL, either way, while the service is
                                    stopped; the former database is kept unchanged
  access-key import <email> <access key ID> [name]
                                    give a user the key pair of another S3 service; reads the secret from
                                    standard input
  rotate-secrets                    re-encrypt stored secrets with the current SECRET_KEY
  rotate-encryption-key             protect encrypted objects with a new key, while the service runs
  upgrade-database                  bring the schema of the database up to this release, and end; a start does the same
  version                           print the version; also --version
  help                              show this help

These commands open the database directly, whether or not the service is running (except move-database), and are
audited as "cli".

Configuration is read from environment variables: see docs/configuration.md.`

/** Which of the two the operator may replace because it is lost. */
const ACCEPTS = {
  'accept-new-key': { type: 'boolean', default: false },
  'accept-new-storage': { type: 'boolean', default: false },
} as const
const acceptedOf = (values: { [name in keyof typeof ACCEPTS]: boolean }): Accepted => ({
  newKey: values['accept-new-key'],
  newStorage: values['accept-new-storage'],
})

/** `workers`: what --workers is where it is not given. */
async function serve(
  rest: readonly string[],
  workers: string,
  environment: (accepted: Accepted) => Promise<Env>,
): Promise<void> {
  const { values } = parseArgs({
    args: [...rest],
    options: {
      workers: { type: 'string', default: workers },
      background: { type: 'boolean', default: true },
      ...ACCEPTS,
    },
    allowNegative: true,
  })
  const count = processesOf(values.workers)
  const accepted = acceptedOf(values)
  const env = await environment(accepted)
  const { isOneOfSeveral, serveWithProcesses } = await import('./process/cluster.ts')
  if (isOneOfSeveral() || count === 1) return run(env, values.background ? 'all' : 'web', accepted)
  const config = readConfig(env)
  process.exit(await serveWithProcesses(count, config, (said) => announce(config, said)))
}

/** Serves in this process until it is stopped. */
async function run(env: Env, role: Role, accepted: Accepted): Promise<void> {
  // Half of what there is to load; a command needs none of it.
  const { start } = await import('./process/start.ts')
  const { announceToPrimary, isOneOfSeveral, leavePrimary, preparesOf, shareOf } = await import('./process/cluster.ts')
  const [several, prepares] = [isOneOfSeveral(), preparesOf(env)]
  const config = readConfig(env, shareOf(env))
  const running = await start(config, { role, several, prepares, alone: true, accepted })
  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) return
    stopping = true
    running
      .stop(signal === 'SIGHUP')
      .then(leavePrimary)
      .then(() => process.exit(0), fail)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Last, because whoever reads the line may send a signal at once.
  if (several) {
    process.on('SIGHUP', stop)
    announceToPrimary(running)
  } else if (role === 'background')
    process.stdout.write(`Strongroom works in the background; health: ${running.url}/readyz\n`)
  else announce(config, { ...running, processes: 1 })
}

const announce = ({ announce: how }: Config, said: Announcement): void =>
  void process.stdout.write(announcement(how, said))

/** One sentence about what a command or a start could not reach; undefined where that is not why it failed. */
async function outageOf(error: unknown): Promise<string | undefined> {
  const [{ isExhausted, isStorageOutage }, { explain }, { isDatabaseOutage, isUnreachable }] = await Promise.all([
    import('./drivers/driver.ts'),
    import('./drivers/explain.ts'),
    import('./db/errors.ts'),
  ])
  if (isExhausted(error))
    return 'Too many files are open: raise the limit of open files (ulimit -n, LimitNOFILE), 65536 for example.'
  if (isStorageOutage(error)) return `The storage cannot be reached. ${explain(error)}`
  if (isDatabaseOutage(error) || isUnreachable(error))
    return `The database cannot be reached: ${(error as Error).message || (error as NodeJS.ErrnoException).code}.`
  return undefined
}

async function fail(error: unknown): Promise<never> {
  const { code, message, stack } = error as NodeJS.ErrnoException
  const outage = error instanceof ConfigError || error instanceof Refusal ? undefined : await outageOf(error)
  if (outage !== undefined) {
    process.stderr.write(`${outage}\n`)
    process.exit(1)
  }
  const wronglyCalled = code?.startsWith('ERR_PARSE_ARGS') ?? false
  process.stderr.write(
    `${wronglyCalled || error instanceof ConfigError || error instanceof Refusal ? message : stack}\n`,
  )
  process.exit(wronglyCalled ? 2 : 1)
}

const [given = 'help', ...rest] = process.argv.slice(2)
/** The help of one command of the service: its part of the whole text. */
function helpOf(name: string): string {
  const lines = USAGE.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`  ${name} `) || line === `  ${name}`)
  const end = lines.findIndex((line, i) => i > first && !line.startsWith('   '))
  const [usage = '', ...more] = (lines[first] ?? '').trim().split(/ {3,}/)
  // Options are indented less than what is said of the command.
  const about = [...more, ...lines.slice(first + 1, end).map((line) => line.replace(/^ {30,}/, ''))]
  return `usage: strongroom ${usage}\n\n${about.join('\n')}\n`
}

const isOurs = ['start', 'serve', 'worker'].includes(given) || isCommand(given)
try {
  if (isOurs && (rest.includes('--help') || rest.includes('-h'))) process.stdout.write(helpOf(given))
  else if (given === 'start')
    await serve(rest, 'auto', async ({ newKey }) => ({
      SETUP_LINK: 'false',
      S3_PORT: '9000+',
      ...(await withKeptKey(withSecretFiles(process.env), newKey)),
    }))
  else if (given === 'serve') await serve(rest, '1', async () => withSecretFiles(process.env))
  else if (given === 'worker')
    await run(
      withSecretFiles(process.env),
      'background',
      acceptedOf(parseArgs({ args: rest, options: ACCEPTS }).values),
    )
  else if (['version', '--version', '-v'].includes(given)) process.stdout.write(`strongroom ${version}\n`)
  else if (isCommand(given)) process.exitCode = await runCommand(given, rest, withSecretFiles(process.env))
  else {
    // Client commands use a service's API. Loaded only here, because the service does not need them.
    const { clientUsage, isClientCommand, runClientCommand } = await import('../cli/main.ts')
    if (isClientCommand(given)) process.exitCode = await runClientCommand(given, rest)
    else {
      process.stdout.write(
        `${USAGE}\n\nClient commands, which use a service's API from any machine (--help after each for details):\n\n${clientUsage}\n`,
      )
      if (!['help', '--help', '-h'].includes(given)) process.exitCode = 2
    }
  }
} catch (error) {
  await fail(error)
}

#!/usr/bin/env node
import './threads.ts'
import os from 'node:os'
import { parseArgs } from 'node:util'
import { isCommand, runCommand } from './commands.ts'
import { ConfigError, type Env, readConfig } from './config.ts'
import type { Accepted } from './instance/join.ts'
import { Refusal } from './refusal.ts'
import type { Role } from './role.ts'
import { withKeptKey } from './secret-key.ts'
import type { First } from './start.ts'

const USAGE = `usage: strongroom <command>

  start                             serve; the first one makes and keeps a SECRET_KEY in the data folder when none is given
  serve                             serve; SECRET_KEY is required
    --workers <n>                   with so many processes, to use all processors (over PostgreSQL); "auto": one each
    --no-background                 only answer requests: workers run elsewhere
    --accept-new-key                go on with another SECRET_KEY where the former one is lost for good
    --accept-new-storage            take up a storage that this database does not know, or that lost its bytes
  worker                            only work in the background, and say on HOST:PORT how it is
  create-admin <email> [name]       make an administrator; prints a generated password, or reads one
                                    from standard input with --password-stdin
  reset-password <email>            give a user a new password, in the same two ways, and enable them again
  enable-local-login                switch login with e-mail and password on again
  users list                        everyone, one a line
  verify [--deep] [--fix [--yes-remove <n>]]
                                    compare rows with bytes and bytes with rows, and what is counted; --fix corrects
                                    counts and sets aside bytes that no row knows, more than a tenth of all only
                                    when <n> says exactly how many
  audit verify [--from <n>] [--checkpoints <file>]
                                    whether anyone changed the audit log; exit code 3 when someone did
  backup <file>                     copy the SQLite database of this moment, beside a running service
  rotate-secrets                    encrypt stored secrets anew with the current SECRET_KEY
  help                              this text

The commands work on the database directly, beside a running service or without one, and are audited as "cli".

Configuration is read from the environment: docs/configuration.md.`

/** Which of the two an operator may have lost for good. */
const ACCEPTS = {
  'accept-new-key': { type: 'boolean', default: false },
  'accept-new-storage': { type: 'boolean', default: false },
} as const
const acceptedOf = (values: { [name in keyof typeof ACCEPTS]: boolean }): Accepted => ({
  newKey: values['accept-new-key'],
  newStorage: values['accept-new-storage'],
})

async function serve(rest: readonly string[], environment: (accepted: Accepted) => Promise<Env>): Promise<void> {
  const { values } = parseArgs({
    args: [...rest],
    options: { workers: { type: 'string' }, background: { type: 'boolean', default: true }, ...ACCEPTS },
    allowNegative: true,
  })
  const count = values.workers === 'auto' ? os.availableParallelism() : Number(values.workers ?? 1)
  if (!Number.isInteger(count) || count < 1 || count > 512)
    throw new ConfigError(['--workers is no number of processes'])
  const accepted = acceptedOf(values)
  const env = await environment(accepted)
  const { isOneOfSeveral, serveWithProcesses } = await import('./processes.ts')
  if (isOneOfSeveral() || count === 1) return run(env, values.background ? 'all' : 'web', accepted)
  process.exit(await serveWithProcesses(count, readConfig(env), announce, accepted))
}

/** Serves in this process until it is told to end. */
async function run(env: Env, role: Role, accepted: Accepted): Promise<void> {
  // Half of what there is to load; a command needs none of it.
  const { start } = await import('./start.ts')
  const { announceToPrimary, isOneOfSeveral, leavePrimary, shareOf } = await import('./processes.ts')
  const prepared = isOneOfSeveral()
  const running = await start(readConfig(env, shareOf(env)), { role, prepared, alone: true, accepted })
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
  // Last: whoever reads it may ask for the end at once.
  if (isOneOfSeveral()) {
    process.on('SIGHUP', stop)
    announceToPrimary(running.url)
  } else if (role === 'background')
    process.stdout.write(`Strongroom works in the background; health: ${running.url}/readyz\n`)
  else announce(running.url, running.first)
}

function announce(url: string, { admin, setupLink }: First): void {
  process.stdout.write(`Strongroom serves at ${url} (API pages: ${url}/docs)\n`)
  if (admin) {
    process.stdout.write(`First administrator: ${admin.email}\n`)
    if (admin.password !== null) process.stdout.write(`Password, shown only now: ${admin.password}\n`)
  }
  if (setupLink)
    process.stdout.write(
      `There is no administrator yet. Make one here; this link works once, until the next start:\n${setupLink}\n`,
    )
}

function fail(error: unknown): never {
  const { code, message, stack } = error as NodeJS.ErrnoException
  const wronglyCalled = code?.startsWith('ERR_PARSE_ARGS') ?? false
  process.stderr.write(
    `${wronglyCalled || error instanceof ConfigError || error instanceof Refusal ? message : stack}\n`,
  )
  process.exit(wronglyCalled ? 2 : 1)
}

const [given = 'help', ...rest] = process.argv.slice(2)
const isOurs = ['start', 'serve', 'worker'].includes(given) || isCommand(given)
// One text says it all of those that are ours; what speaks to a service has one for each command.
const command = isOurs && (rest.includes('--help') || rest.includes('-h')) ? 'help' : given
try {
  if (command === 'start')
    await serve(rest, async ({ newKey }) => ({ SETUP_LINK: 'false', ...(await withKeptKey(process.env, newKey)) }))
  else if (command === 'serve') await serve(rest, async () => process.env)
  else if (command === 'worker')
    await run(process.env, 'background', acceptedOf(parseArgs({ args: rest, options: ACCEPTS }).values))
  else if (isCommand(command)) process.exitCode = await runCommand(command, rest, process.env)
  else {
    // What speaks to a service over its API; loaded only here, for a service has no need of it.
    const { clientUsage, isClientCommand, runClientCommand } = await import('../cli/main.ts')
    if (isClientCommand(command)) process.exitCode = await runClientCommand(command, rest)
    else {
      process.stdout.write(
        `${USAGE}\n\nOver the API of a service, from any machine (--help after each):\n\n${clientUsage}\n`,
      )
      if (!['help', '--help', '-h'].includes(command)) process.exitCode = 2
    }
  }
} catch (error) {
  fail(error)
}

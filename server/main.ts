#!/usr/bin/env node
import './threads.ts'
import { isCommand, runCommand } from './commands.ts'
import { ConfigError, readConfig, withKeptSecret } from './config.ts'
import { start } from './start.ts'

const USAGE = `usage: stowage <command>

  start                             serve; makes and keeps a SECRET_KEY in the data folder when none is given
  serve                             serve; SECRET_KEY is required
  create-admin <email> [name]       make an administrator; prints a generated password, or reads one
                                    from standard input with --password-stdin
  reset-password <email>            give a user a new password, in the same two ways, and enable them again
  enable-local-login                switch login with e-mail and password on again
  users list                        everyone, one a line
  verify [--deep] [--fix]           compare rows with bytes and bytes with rows, and what is counted
  audit verify [--from <n>] [--checkpoints <file>]
                                    whether anyone changed the audit log; exit code 3 when someone did
  backup <file>                     copy the SQLite database of this moment, beside a running service
  rotate-secrets                    encrypt stored secrets anew with the current SECRET_KEY
  help                              this text

The commands work on the database directly, beside a running service or without one, and are audited as "cli".

Configuration is read from the environment: docs/configuration.md.`

async function serve(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const running = await start(readConfig(env))
  process.stdout.write(`Stowage serves at ${running.url} (API pages: ${running.url}/docs)\n`)
  if (running.firstAdmin) {
    const { email, password } = running.firstAdmin
    process.stdout.write(`First administrator: ${email}\n`)
    if (password !== null) process.stdout.write(`Password, shown only now: ${password}\n`)
  }
  let stopping = false
  const stop = (): void => {
    if (stopping) return
    stopping = true
    running.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof ConfigError ? error.message : (error as Error).stack}\n`)
  process.exit(1)
}

const [command = 'help', ...rest] = process.argv.slice(2)
try {
  if (command === 'start') await serve(withKeptSecret(process.env))
  else if (command === 'serve') await serve(process.env)
  else if (isCommand(command)) process.exitCode = await runCommand(command, rest, withKeptSecret(process.env))
  else {
    process.stdout.write(`${USAGE}\n`)
    if (!['help', '--help', '-h'].includes(command)) process.exitCode = 2
  }
} catch (error) {
  fail(error)
}

import { parseArgs } from 'node:util'
import { agentCommands } from './agent-commands.ts'
import { type Command, type Commands, numberOf, type Options } from './command.ts'
import { openClient, UsageError } from './config.ts'
import { configurationCommands } from './configuration-commands.ts'
import { encryptionCommands } from './encryption-commands.ts'
import { login, logout } from './login.ts'
import { momentCommands } from './moment-commands.ts'
import { objectCommands } from './object-commands.ts'
import { describe, Progress, print, type Run } from './run.ts'
import { storageCommands } from './storage-commands.ts'

const common = {
  help: { type: 'boolean', short: 'h' },
  profile: { type: 'string' },
} as const satisfies Options

const commands: Commands = {
  ...objectCommands,
  ...momentCommands,
  ...storageCommands,
  ...encryptionCommands,
  ...configurationCommands,
  ...agentCommands,
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
    const several = (option: string) => (values[option] ?? []) as string[]
    if (flag('help')) {
      await print(`usage: strongroom ${command.usage}\n\n${command.about}\n`)
      return 0
    }
    const [least, most] = command.words
    if (words.length < least || words.length > most) throw new UsageError(`usage: strongroom ${command.usage}`)
    const code = await command.work({ words, flag, value, values: several }, () => {
      const json = flag('json')
      const jobs = numberOf('--jobs', value('jobs') ?? '8')
      const client = openClient(value('profile'))
      run = { client, json, jobs, progress: new Progress(process.stderr.isTTY && !json) }
      if (command.live) run.progress.start()
      return run
    })
    if (typeof code === 'number') return code
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
): { values: Record<string, string | boolean | (string | boolean)[] | undefined>; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: { ...options, ...common }, allowPositionals: true })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nusage: strongroom ${usage}`)
  }
}

import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { ServiceError } from '../contract/errors.ts'
import { openBlobs } from './blobs/open.ts'
import { readConfig } from './config.ts'
import { type Ctx, cliActor, createContext } from './context.ts'
import { openDatabase } from './db/open.ts'
import { createLog } from './log.ts'
import { enableLocalLogin, resealSettings } from './settings/service.ts'
import { createAdmin, newPassword, resetPassword } from './users/break-glass.ts'
import { listUsers } from './users/service.ts'

interface Arguments {
  words: readonly string[]
  /** The password of standard input, else a generated one. */
  password(): Promise<{ password: string; generated: boolean }>
}
type Command = (ctx: Ctx, given: Arguments) => Promise<string>

/** Ways in for someone with a shell on the machine, when there is none through the API (R8). Each gives what to print. */
const commands: { [name: string]: Command } = {
  'create-admin': async (ctx, { words: [email, ...name], password }) => {
    const chosen = await password()
    await createAdmin(ctx, address(email), name.join(' ') || 'Administrator', chosen.password)
    return `Administrator ${email} was made.${shown(chosen)}`
  },
  'reset-password': async (ctx, { words: [email], password }) => {
    const chosen = await password()
    await resetPassword(ctx, address(email), chosen.password)
    return `${email} has a new password; their sessions have ended.${shown(chosen)}`
  },
  'enable-local-login': async (ctx) => {
    await enableLocalLogin(ctx)
    return 'Login with e-mail and password is on.'
  },
  users: async (ctx, { words: [what] }) => {
    if (what !== 'list') throw new ServiceError('invalid_request', 'Say: users list')
    const lines: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await listUsers(ctx.db, {}, 1000, cursor ?? undefined)
      for (const { email, is_active, is_admin, idp_subject, has_password, last_login_at } of page.items) {
        const marks = [
          is_active ? 'active' : 'disabled',
          ...(is_admin ? ['admin'] : []),
          ...(has_password ? ['password'] : []),
          ...(idp_subject === null ? [] : ['idp']),
        ]
        lines.push([email, marks.join(','), last_login_at ?? 'never'].join('\t'))
      }
      cursor = page.next_cursor
    } while (cursor)
    return lines.join('\n')
  },
  'rotate-secrets': async (ctx) => `${await resealSettings(ctx)} secret(s) were encrypted anew.`,
}

const address = (email: string | undefined): string => {
  if (email && /^[^\s@]+@[^\s@]+$/.test(email)) return email
  throw new ServiceError('invalid_request', 'Name the e-mail address of the user.')
}
const shown = ({ password, generated }: { password: string; generated: boolean }): string =>
  generated ? `\nPassword, shown only now: ${password}` : ''

export const isCommand = (name: string): boolean => Object.hasOwn(commands, name)

/** Runs one command on the database of this environment; gives the exit code. */
export async function runCommand(
  name: string,
  rest: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...rest],
    options: { 'password-stdin': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const config = readConfig(env)
  const log = createLog(config.logLevel, process.stderr)
  const database = await openDatabase(config.databaseUrl, (error) => log.warn({ err: error }, 'database'))
  const blobs = await openBlobs(config.storageUrl)
  try {
    await database.migrate()
    const background = () => undefined
    const ctx = createContext({ database, blobs, config, now: () => new Date(), log, background }, cliActor)
    const password = async () =>
      values['password-stdin']
        ? { password: (await text(process.stdin)).replace(/\r?\n$/, ''), generated: false }
        : { password: newPassword(), generated: true }
    process.stdout.write(`${await (commands[name] as Command)(ctx, { words: positionals, password })}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  } finally {
    await blobs.close()
    await database.close()
  }
}

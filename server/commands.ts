import fs from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { ServiceError } from '../contract/errors.ts'
import { openStorage } from './blobs/open.ts'
import { readConfig } from './config.ts'
import { type Ctx, cliActor, createContext } from './context.ts'
import { type Database, openDatabase } from './db/open.ts'
import { createLog } from './log.ts'
import { enableLocalLogin, resealSettings } from './settings/service.ts'
import { createAdmin, newPassword, resetPassword } from './users/break-glass.ts'
import { listUsers } from './users/service.ts'
import { verify } from './verify/service.ts'
import { resealWebhooks } from './webhooks/service.ts'

interface Arguments {
  words: readonly string[]
  flags: { deep: boolean; fix: boolean }
  /** The password of standard input, else a generated one. */
  password(): Promise<{ password: string; generated: boolean }>
}
type Command = (ctx: Ctx & { database: Database }, given: Arguments) => Promise<string>

/** What verify found and did not mend: printed, and an exit code. */
class Findings extends Error {}

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
  verify: async (ctx, { flags }) => {
    const report = (finding: string) => void process.stdout.write(`${finding}\n`)
    const found = await verify(ctx, { deep: flags.deep, fix: flags.fix, report })
    const { blobs, bytes, withoutChecksum, fixed, ...faults } = found
    const bad = Object.values(faults).reduce((sum, count) => sum + count, 0)
    const counts = Object.entries(faults).map(([what, count]) => `${count} ${what}`)
    const depth = flags.deep ? `, ${withoutChecksum} of them without a checksum of the whole` : ', sizes only'
    const text = `${blobs} blobs with ${bytes} bytes looked at${depth}: ${counts.join(', ')}; ${fixed} mended.`
    if (bad > fixed) throw new Findings(text)
    return text
  },
  backup: async ({ database }, { words: [file] }) => {
    if (!file) throw new ServiceError('invalid_request', 'Name the file to write.')
    if (fs.existsSync(file)) throw new ServiceError('already_exists', `${file} exists already.`)
    await database.backup(file)
    return `The database was copied to ${file}. Copy the blobs after it: docs/operations.md.`
  },
  'rotate-secrets': async (ctx) =>
    `${(await resealSettings(ctx)) + (await resealWebhooks(ctx))} secret(s) were encrypted anew.`,
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
    options: {
      'password-stdin': { type: 'boolean', default: false },
      deep: { type: 'boolean', default: false },
      fix: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const config = readConfig(env)
  const log = createLog(config.logLevel, process.stderr)
  const database = await openDatabase(config.databaseUrl, (error) => log.warn({ err: error }, 'database'))
  const blobs = await openStorage(config)
  try {
    await database.migrate()
    const background = () => undefined
    const stopping = new AbortController().signal
    const ctx = createContext({ database, blobs, config, now: () => new Date(), log, background, stopping }, cliActor)
    const password = async () =>
      values['password-stdin']
        ? { password: (await text(process.stdin)).replace(/\r?\n$/, ''), generated: false }
        : { password: newPassword(), generated: true }
    process.stdout.write(
      `${await (commands[name] as Command)({ ...ctx, database }, { words: positionals, flags: values, password })}\n`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof Findings)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  } finally {
    await blobs.close()
    await database.close()
  }
}

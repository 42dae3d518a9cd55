import fs from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { ServiceError } from '../../contract/errors.ts'
import { ACCESS_KEY_ID, isEmail, SECRET_ACCESS_KEY } from '../../contract/names.ts'
import { importAccessKey, resealAccessKeys } from '../access/access-keys/service.ts'
import { cliActor } from '../access/actors.ts'
import { resealAgents } from '../access/agents/service.ts'
import { resealMails } from '../access/mail/body.ts'
import { resetFactorsOf } from '../access/second-factor/factors.ts'
import { resealSecondFactors } from '../access/second-factor/secret.ts'
import { enableLocalLogin, resealSettings } from '../access/settings/service.ts'
import { createAdmin, newPassword, resetPassword } from '../access/users/break-glass.ts'
import { listUsers } from '../access/users/describe.ts'
import { emailKey } from '../access/users/service.ts'
import { findByEmailKey } from '../access/users/store.ts'
import { counted } from '../base/count-words.ts'
import { itemsOf } from '../base/cursor.ts'
import { type Env, readConfig } from '../config/config.ts'
import { type Ctx, createContext } from '../context.ts'
import type { Database } from '../db/database.ts'
import { resealAuditKeys } from '../features/audit/keys.ts'
import { readLines, verifyChain } from '../features/audit/verify.ts'
import { resealKmsKeys } from '../features/encryption/kms-keys.ts'
import { rotateEncryptionKey } from '../features/encryption/rotate.ts'
import { resealShares } from '../features/shares/link.ts'
import { verify } from '../features/verify/service.ts'
import { resealWebhooks } from '../features/webhooks/rotate.ts'
import { createLog } from '../observe/log.ts'
import { resealStorages } from '../storage/storages/service.ts'
import { bareCommands, MAKES_DATABASE } from './bare-commands.ts'
import { withServiceKey } from './instance/secret-key.ts'
import { withSystem } from './with-system.ts'

interface Arguments {
  words: readonly string[]
  flags: {
    deep: boolean
    fix: boolean
    'yes-remove'?: string | undefined
    from?: string | undefined
    checkpoints?: string | undefined
  }
  /** The password read from standard input, else a generated one. */
  password(): Promise<{ password: string; generated: boolean }>
  /** Standard input without the line break at its end. */
  input(): Promise<string>
}
/** What stores secrets. */
const reseals = [
  resealSettings,
  resealAuditKeys,
  resealWebhooks,
  resealAccessKeys,
  resealAgents,
  resealStorages,
  resealShares,
  resealSecondFactors,
  resealMails,
  resealKmsKeys,
]

type Command = (ctx: Ctx & { database: Database }, given: Arguments) => Promise<string>

/** Problems that verify found and did not fix: printed, with an exit code. */
class Findings extends Error {
  readonly exitCode: number
  constructor(text: string, exitCode = 1) {
    super(text)
    this.exitCode = exitCode
  }
}

/**
 * Administration for someone with a shell on the machine, when the API cannot be used. Each returns the text to print.
 */
const commands: { [name: string]: Command } = {
  'create-admin': async (ctx, { words: [email, ...name], password }) => {
    const chosen = await password()
    await createAdmin(ctx, address(email), name.join(' ') || 'Administrator', chosen)
    return `Created administrator ${email}.${shown(chosen)}`
  },
  'reset-password': async (ctx, { words: [email], password }) => {
    const chosen = await password()
    await resetPassword(ctx, address(email), chosen)
    return `The password of ${email} was changed and their sessions ended.${shown(chosen)}`
  },
  'reset-second-factor': async (ctx, { words: [email] }) => {
    const factors = await resetFactorsOf(ctx, address(email))
    if (factors === 0) return `${email} has no second factor.`
    return `${counted(factors, 'second factor')} of ${email} removed, with their recovery codes.`
  },
  'enable-local-login': async (ctx) => {
    await enableLocalLogin(ctx)
    return 'Login with email and password is on.'
  },
  users: async (ctx, { words: [what] }) => {
    if (what !== 'list') throw new ServiceError('invalid_request', 'Usage: strongroom users list')
    const lines: string[] = []
    for await (const user of itemsOf((cursor) => listUsers(ctx.db, {}, 1000, cursor))) {
      const { email, is_active, is_admin, idp_subject, has_password, invitation_expires_at, last_login_at } = user
      const marks = [
        is_active ? 'active' : 'disabled',
        ...(is_admin ? ['admin'] : []),
        ...(has_password ? ['password'] : []),
        ...(invitation_expires_at === null ? [] : ['invited']),
        ...(idp_subject === null ? [] : ['idp']),
      ]
      lines.push([email, marks.join(','), last_login_at ?? 'never'].join('\t'))
    }
    return lines.join('\n')
  },
  verify: async (ctx, { flags }) => {
    const report = (finding: string) => void process.stdout.write(`${finding}\n`)
    const number = flags['yes-remove']
    if (number !== undefined && !(flags.fix && /^\d{1,15}$/.test(number)))
      throw new ServiceError('invalid_request', 'Usage: strongroom verify --fix --yes-remove <number of blobs>')
    const yesRemove = number === undefined ? undefined : Number(number)
    const found = await verify(ctx, { deep: flags.deep, fix: flags.fix, yesRemove, report })
    const { blobs, bytes, withoutChecksum, fixed, ...faults } = found
    const bad = Object.values(faults).reduce((sum, count) => sum + count, 0)
    const counts = Object.entries(faults).map(([what, count]) => `${count} ${what}`)
    const depth = flags.deep ? `, ${withoutChecksum} of them without a checksum` : ', sizes only'
    const text = `Checked ${blobs} blobs with ${bytes} bytes${depth}: ${counts.join(', ')}; ${fixed} fixed.`
    if (bad > fixed) throw new Findings(text)
    return text
  },
  audit: async (ctx, { words: [what], flags }) => {
    const from = flags.from === undefined ? undefined : Number(flags.from)
    const wrong = from !== undefined && !(Number.isSafeInteger(from) && from > 0)
    if (what !== 'verify' || wrong)
      throw new ServiceError('invalid_request', 'Usage: strongroom audit verify [--from <seq>] [--checkpoints <file>]')
    const file = flags.checkpoints ?? ctx.config.auditCheckpointFile
    if (flags.checkpoints !== undefined && !fs.existsSync(flags.checkpoints))
      throw new ServiceError('not_found', `${flags.checkpoints} does not exist.`)
    const checkpoints = file === null ? [] : await readLines(file)
    const found = await verifyChain(ctx, { from, most: Number.POSITIVE_INFINITY, checkpoints })
    const lines = found.faults.map(({ kind, seq, audit_id, message }) =>
      [kind, seq ?? '-', audit_id ?? '-', message].join('\t'),
    )
    const { checked, first_seq, last_seq, pending, fault_count } = found
    const text = `Checked ${checked} records (${first_seq} to ${last_seq}) and ${found.checkpoints} checkpoints; ${pending} records are not sealed yet.`
    if (found.ok) return `${text} No tampering found.`
    throw new Findings([...lines, `${text} ${fault_count} fault(s) found.`].join('\n'), 3)
  },
  backup: async ({ database }, { words: [file] }) => {
    if (!file) throw new ServiceError('invalid_request', 'Usage: strongroom backup <file>')
    const { buckets, objects, users, size } = await database.backup(file)
    const held = `${counted(buckets, 'bucket')}, ${counted(objects, 'object')} and ${counted(users, 'user')}`
    return `Copied the database to ${file} and checked it: ${held} in ${size} bytes. Now copy the blobs: see docs/operations.md.`
  },
  'access-key': async (ctx, { words: [what, email, accessKeyId = '', ...name], input }) => {
    if (what !== 'import')
      throw new ServiceError('invalid_request', 'Usage: strongroom access-key import <email> <access key ID> [name]')
    const user = await findByEmailKey(ctx.db, emailKey(address(email)))
    if (!user) throw new ServiceError('not_found', `No user has the address "${email}".`)
    if (!new RegExp(ACCESS_KEY_ID).test(accessKeyId))
      throw new ServiceError('invalid_request', 'An access key ID has 3 to 128 letters, digits, dots, _ and -.')
    const secret = await input()
    if (!new RegExp(SECRET_ACCESS_KEY).test(secret))
      throw new ServiceError('invalid_request', 'Give the secret, 8 to 128 printable characters, on standard input.')
    await importAccessKey(ctx, user.id, { name: name.join(' ') || 'Imported', accessKeyId, secret })
    return `${email} can use access key ${accessKeyId}.`
  },
  'rotate-encryption-key': async (ctx) => {
    const { version, continued, blobs, failed } = await rotateEncryptionKey(ctx)
    const what = continued ? `Finished the rotation to key ${version}` : `Key ${version} is current`
    const text = `${what}: ${counted(blobs, 'object key')} rewrapped.`
    if (failed > 0) throw new Findings(`${text} ${counted(failed, 'object key')} could not be read.`)
    return text
  },
  'rotate-secrets': async (ctx) => {
    let count = 0
    for (const reseal of reseals) count += await reseal(ctx)
    return `${count} secret(s) re-encrypted.`
  },
}

const address = (email: string | undefined): string => {
  if (email && isEmail(email)) return email
  throw new ServiceError('invalid_request', "Give the user's email address.")
}
const shown = ({ password, generated }: { password: string; generated: boolean }): string =>
  generated ? `\nPassword, shown only now: ${password}` : ''

export const isCommand = (name: string): boolean => Object.hasOwn(commands, name) || Object.hasOwn(bareCommands, name)

const OPTIONS = {
  'password-stdin': { type: 'boolean', default: false },
  deep: { type: 'boolean', default: false },
  fix: { type: 'boolean', default: false },
  'yes-remove': { type: 'string' },
  from: { type: 'string' },
  checkpoints: { type: 'string' },
  to: { type: 'string' },
  at: { type: 'string' },
  since: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  serve: { type: 'boolean', default: false },
  supersede: { type: 'boolean', default: false },
} as const
/** The options each command takes; a command not listed takes none. */
const taken: { [command: string]: readonly (keyof typeof OPTIONS)[] } = {
  'create-admin': ['password-stdin'],
  'reset-password': ['password-stdin'],
  verify: ['deep', 'fix', 'yes-remove'],
  audit: ['from', 'checkpoints'],
  'move-database': ['to'],
  recover: ['from', 'at', 'since', 'dry-run'],
  standby: ['from', 'serve'],
  promote: ['from', 'supersede'],
}

/** Parses a command's arguments; throws as parseArgs does, adding which options the command takes. */
function parse(name: string, rest: readonly string[]) {
  const options: readonly string[] = taken[name] ?? []
  try {
    const args = [...rest]
    const { tokens } = parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: false, tokens: true })
    const other = tokens.find((one) => one.kind === 'option' && !options.includes(one.name))
    if (other?.kind === 'option')
      throw Object.assign(new Error(`Unknown option '${other.rawName}'`), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' })
    return parseArgs({ args, options: OPTIONS, allowPositionals: name !== 'upgrade-database' })
  } catch (error) {
    const takes = options.length > 0 ? options.map((one) => `--${one}`).join(', ') : 'no options'
    throw Object.assign(error as Error, { message: `${(error as Error).message}: "${name}" takes ${takes}.` })
  }
}

/** Runs one command on the configured database; returns the exit code. */
export async function runCommand(name: string, rest: readonly string[], env: Env): Promise<number> {
  const { values, positionals } = parse(name, rest)
  const config = readConfig(await withServiceKey(env, MAKES_DATABASE.includes(name)))
  const log = createLog(config.logLevel, process.stderr)
  try {
    const input = async () => (await text(process.stdin)).replace(/\r?\n$/, '')
    const password = async () =>
      values['password-stdin']
        ? { password: await input(), generated: false }
        : { password: newPassword(), generated: true }
    const bare = bareCommands[name]
    const output = bare
      ? await bare(config, {
          to: values.to,
          from: values.from,
          at: values.at,
          since: values.since,
          dryRun: values['dry-run'],
          serve: values.serve,
          supersede: values.supersede,
          words: positionals,
        })
      : await withSystem(config, log, { storage: name === 'verify' }, (system) =>
          (commands[name] as Command)(
            { ...createContext(system, cliActor), database: system.database },
            { words: positionals, flags: values, password, input },
          ),
        )
    process.stdout.write(`${output}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof Findings)) throw error
    process.stderr.write(`${error.message}\n`)
    return error instanceof Findings ? error.exitCode : 1
  }
}

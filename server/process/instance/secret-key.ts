import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { makeFolder, syncFolder, syncMade } from '../../base/make-folder.ts'
import { Refusal } from '../../base/refusal.ts'
import { databaseUrlOf, dataDirOf, type Env } from '../../config/config.ts'
import { variables } from '../../config/variables.ts'
import { assertWritable } from './folders.ts'
import { hasSchema, noDatabase } from './join.ts'

/** The environment with its own SECRET_KEY, or else the one kept in `<DATA_DIR>/secret.key`. */
function withKnownKey(env: Env): { env: Env; known: boolean; file: string } {
  const file = path.join(dataDirOf(env), 'secret.key')
  if (env.SECRET_KEY?.trim()) return { env, known: true, file }
  const kept = readKept(file)
  return kept === undefined ? { env, known: false, file } : { env: { ...env, SECRET_KEY: kept }, known: true, file }
}

/** Undefined without a complete key: a crash or a full disk may have left part of one. */
function readKept(file: string): string | undefined {
  try {
    return variables.SECRET_KEY.read(fs.readFileSync(file, 'utf8').trim())
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== undefined && code !== 'ENOENT')
      throw new Refusal(`The service's SECRET_KEY cannot be read: ${message}.`, { cause: error })
    return undefined
  }
}

/**
 * A command's environment with the service's key, which a command never generates. `beforeDatabase`: the command makes the
 * database.
 */
export async function withServiceKey(given: Env, beforeDatabase = false): Promise<Env> {
  const { env, known, file } = withKnownKey(given)
  if (known) return env
  const databaseUrl = databaseUrlOf(env)
  if (!beforeDatabase && !(await hasSchema(databaseUrl))) throw noDatabase(databaseUrl)
  throw new Refusal(
    `SECRET_KEY is not set, and ${saysOf(file)}. Run the command with the same environment as the service.`,
  )
}

/**
 * The environment of `start`: generates and keeps a key when none is given or kept, but only where there is no database
 * yet, because an existing one is useless without its own key (`acceptNewKey`: that key is lost).
 */
export async function withKeptKey(given: Env, acceptNewKey = false): Promise<Env> {
  const { env, known, file } = withKnownKey(given)
  if (known) return env
  assertWritable(path.dirname(file), 'DATA_DIR')
  if (!acceptNewKey && (await hasSchema(databaseUrlOf(env))))
    throw new Refusal(
      `The database exists, but SECRET_KEY is not set, and ${saysOf(file)}. Restore the key; only if it is permanently lost, add --accept-new-key.`,
    )
  makeKept(file)
  return withKnownKey(env).env
}

const saysOf = (file: string): string => {
  const whole = path.resolve(file)
  return fs.existsSync(file) ? `${whole} holds no complete key` : `${whole} does not exist`
}

/** The key appears under its name only when complete and on disk. Of several processes at once, one creates it. */
function makeKept(file: string): void {
  const folder = path.resolve(path.dirname(file))
  const made = makeFolder(folder)
  const temporary = `${file}.${randomUUID()}`
  try {
    fs.writeFileSync(temporary, randomBytes(36).toString('base64url'), { flag: 'wx', mode: 0o600, flush: true })
    // Replaces an incomplete key; otherwise succeeds only where there is none.
    if (fs.existsSync(file) && readKept(file) === undefined) fs.renameSync(temporary, file)
    else linkUnlessThere(temporary, file)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
  syncFolder(folder)
  syncMade(made)
}

function linkUnlessThere(from: string, to: string): void {
  try {
    fs.linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Client, createClient } from '../client/index.ts'

/** A service and the credential for it. */
export interface Profile {
  url: string
  token: string
  /** The token was made by `login`: `logout` revokes it. */
  token_id?: string
  email?: string
}
interface Kept {
  profiles: Record<string, Profile>
}

/** The command was called incorrectly. */
export class UsageError extends Error {}

/** The file that stores the profiles. */
export function configFile(): string {
  const { STRONGROOM_CONFIG, XDG_CONFIG_HOME, APPDATA } = process.env
  if (STRONGROOM_CONFIG) return STRONGROOM_CONFIG
  const base = XDG_CONFIG_HOME || (process.platform === 'win32' && APPDATA) || path.join(os.homedir(), '.config')
  return path.join(base, 'strongroom', 'config.json')
}

export const profileName = (asked: string | undefined): string => asked ?? process.env.STRONGROOM_PROFILE ?? 'default'

export function readProfiles(): Record<string, Profile> {
  const file = configFile()
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    return (JSON.parse(text) as Kept).profiles ?? {}
  } catch {
    throw new Error(`${file} is not JSON`)
  }
}

/** Replaces the file atomically; only its owner may read it. */
export function writeProfiles(profiles: Record<string, Profile>): void {
  const file = configFile()
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  fs.writeFileSync(next, `${JSON.stringify({ profiles } satisfies Kept, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  fs.renameSync(next, file)
}

/** A client for the service in STRONGROOM_URL and STRONGROOM_TOKEN, else in the profile. */
export function openClient(asked: string | undefined): Client {
  const { STRONGROOM_URL, STRONGROOM_TOKEN } = process.env
  const named = asked ?? process.env.STRONGROOM_PROFILE
  if (named === undefined && STRONGROOM_URL && STRONGROOM_TOKEN)
    return createClient({ baseUrl: baseUrl(STRONGROOM_URL), token: STRONGROOM_TOKEN })
  const profile = readProfiles()[named ?? 'default']
  if (profile) return createClient({ baseUrl: profile.url, token: profile.token })
  throw new UsageError(
    named === undefined
      ? 'You are not signed in: run "strongroom login <url>", or set STRONGROOM_URL and STRONGROOM_TOKEN.'
      : `No profile ${named}: run "strongroom login <url> --profile ${named}".`,
  )
}

/** A service's base URL from user input. */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError(`${text} is not a service URL; example: https://strongroom.example.com`)
  return (url.origin + url.pathname).replace(/\/(api\/v1\/?|console\/?)?$/, '')
}

/** What a variable of the environment holds that a configuration file names; undefined if that is nothing. */
export const variable = (name: string): string | undefined => process.env[name] || undefined

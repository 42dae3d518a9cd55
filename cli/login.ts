import os from 'node:os'
import { createClient, ProblemError, signIn } from '../client/index.ts'
import { baseUrl, configFile, type Profile, profileName, readProfiles, UsageError, writeProfiles } from './config.ts'
import { ask, print, readSecret } from './run.ts'

interface LoginOptions {
  profile: string | undefined
  email: string | undefined
  /** Standard input is a personal access token. */
  tokenStdin: boolean
  expires: string | undefined
}

/** `login`: stores a personal access token for a service, a new one unless one is given. */
export async function login(text: string, options: LoginOptions): Promise<void> {
  const url = baseUrl(text)
  const { protocol, hostname } = new URL(url)
  if (protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname))
    process.stderr.write('strongroom: warning: over plain http, the credential can be read in transit\n')
  const name = profileName(options.profile)
  const profiles = readProfiles()
  const before = profiles[name]
  const profile = options.tokenStdin
    ? { url, token: await readSecret('Token: ') }
    : await newToken(url, options.email ?? (await ask('Email: ')), options.expires)
  const client = createClient({ baseUrl: url, token: profile.token })
  const { email } = await client.me()
  writeProfiles({ ...profiles, [name]: { ...profile, email } })
  if (before?.token_id && before.url === url)
    // It is no longer needed; it may already be revoked.
    await client.revokeToken({ params: { id: before.token_id } }).catch(() => undefined)
  await print(`Signed in to ${url} as ${email}; stored as profile ${name} in ${configFile()}.\n`)
}

/** A script gives a code or a recovery code on a second line. */
function ofInput(text: string): { password: string; code: string | undefined } {
  const [, password = text, code] = /^(.*)\r?\n(\d{6}|[a-z2-9]{4}(?:-[a-z2-9]{4}){3})$/s.exec(text) ?? []
  return { password, code }
}
/** Whether there is a code, or someone who can be asked for it. */
const askable = (code: string | undefined): boolean => code !== undefined || process.stdin.isTTY

const DAY_SECONDS = 86_400
const DEFAULT_DAYS = 90

async function newToken(url: string, email: string, expires: string | undefined): Promise<Profile> {
  if (email === '') throw new UsageError('Give the email address with --email, or as the first line of standard input.')
  const { password, code } = ofInput(await readSecret('Password: '))
  const secondFactor = () => code ?? ask('Code of your authenticator app, or a recovery code: ')
  const session = await signIn({ baseUrl: url, email, password, ...(askable(code) && { secondFactor }) })
  const client = createClient({ baseUrl: url, token: session })
  try {
    const { limits } = await client.me()
    const days = Math.min(DEFAULT_DAYS, limits.token_max_lifetime_days ?? DEFAULT_DAYS)
    const { token, id } = await client.createToken({
      body: { name: `strongroom on ${os.hostname()}`.slice(0, 100), expires_in: expires ?? days * DAY_SECONDS },
    })
    return { url, token, token_id: id }
  } finally {
    await session.end()
  }
}

/** `logout`: removes a profile and revokes the token that `login` created. */
export async function logout(asked: string | undefined): Promise<void> {
  const name = profileName(asked)
  const { [name]: profile, ...others } = readProfiles()
  if (!profile) throw new UsageError(`No profile ${name}.`)
  const { url, token, token_id } = profile
  if (token_id)
    try {
      await createClient({ baseUrl: url, token }).revokeToken({ params: { id: token_id } })
    } catch (error) {
      // An invalid token needs no revoking; but do not silently forget one that may still be valid.
      if (!(error instanceof ProblemError && [401, 404].includes(error.response.status))) throw error
    }
  writeProfiles(others)
  const rest = token_id ? '' : ' Its token stays valid, because it was not created by "strongroom login".'
  await print(`Signed out of ${url}.${rest}\n`)
}

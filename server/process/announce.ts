import type { Config } from '../config/config.ts'
import type { First } from './start.ts'

/** What a service that has just started says on standard output: where it serves, and how to sign in first. */
export interface Announcement {
  url: string
  /** Null without an S3 endpoint. */
  s3Url: string | null
  /** How many processes answer there. */
  processes: number
  first: First
}

/** The announcement as lines for people, or as JSON lines with the fields that log lines have (ANNOUNCE). */
export const announcement = (how: Config['announce'], said: Announcement): string =>
  how === 'json' ? asJson(said) : asText(said)

function asText({ url, s3Url, processes, first: { admin, setupLink } }: Announcement): string {
  const lines = [`Strongroom serves at ${url} (API pages: ${url}/docs)`]
  if (processes > 1) lines.push(`It uses ${processes} processes (--workers 1: only one).`)
  if (s3Url !== null)
    lines.push(
      `S3 clients, with an access key: ${s3Url}`,
      `  aws --endpoint-url ${s3Url} s3 ls`,
      `  rclone lsf ":s3,provider=Other,env_auth,endpoint='${s3Url}':"`,
    )
  if (admin) {
    lines.push(`First administrator: ${admin.email}`)
    if (admin.password !== null) lines.push(`Password, shown only now: ${admin.password}`)
  }
  if (setupLink)
    lines.push('There is no administrator yet. Make one here; this link works once, until the next start:', setupLink)
  return lines.map((line) => `${line}\n`).join('')
}

const INFO = 30
const WARN = 40
/** Not through the log, which redacts passwords and setup links and leaves out what is below LOG_LEVEL. */
function asJson({ url, s3Url, processes, first: { admin, setupLink } }: Announcement): string {
  const line = (level: number, fields: object, msg: string) =>
    `${JSON.stringify({ level, time: Date.now(), ...fields, msg })}\n`
  return [
    line(INFO, { url, s3_url: s3Url, processes }, 'Strongroom serves'),
    admin
      ? line(INFO, { email: admin.email, password: admin.password ?? undefined }, 'first administrator created')
      : '',
    setupLink
      ? line(
          WARN,
          { setup_link: setupLink },
          'there is no administrator yet; this link makes one, once, until the next start',
        )
      : '',
  ].join('')
}

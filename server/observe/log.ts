import { pino } from 'pino'
import { currentMeter } from './meter.ts'

/** Credentials recognisable by their form: tokens of users, agents and clients, and signing secrets. */
const CREDENTIALS = /svc_(?:pat|agent|mcp)_[0-9A-Za-z]{20,}|whsec_[\w+/=-]{8,}/g
/** What a JWT can be part of: the text up to the next character that none has. Short ones are none. */
const MAYBE_JWTS = /[\w.-]{13,}/g

/** A text of such characters with its JWTs redacted: a part that has `eyJ` in it, and the two behind it. */
function withoutJwts(text: string): string {
  const parts = text.split('.')
  const kept: string[] = []
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as string
    const at = part.indexOf('eyJ')
    if (at < 0 || part.length - at < 11 || !parts[i + 1] || !parts[i + 2]) kept.push(part)
    else {
      kept.push(`${part.slice(0, at)}[redacted]`)
      i += 2
    }
  }
  return kept.join('.')
}

/** A text with its credentials redacted. Looks at each character a few times, whatever the text is. */
export function withoutCredentials(text: string): string {
  const without = text.replace(CREDENTIALS, '[redacted]')
  return without.includes('eyJ') ? without.replace(MAYBE_JWTS, (run) => withoutJwts(run)) : without
}

const NAMES = [
  'authorization|proxy-authorization|cookie|set-cookie|x-amz-security-token|x-svc-signature|x-strongroom-signature|webhook-signature',
  'password|current_password|new_password|secret|client_secret|secret_key|secretAccessKey|secret_access_key|sessionToken',
  'token|access_token|refresh_token|id_token|code_verifier|ticket|x-amz-signature|x-amz-credential',
].join('|')
/** JSON fields of these names that hold a text or a list of texts. */
const FIELDS = new RegExp(`"(${NAMES})":(?:"(?:\\\\.|[^"\\\\])*"|\\[(?:"(?:\\\\.|[^"\\\\])*",?)*\\])`, 'gi')
/**
 * The same fields in JSON that is itself a JSON string, up to its end or where it was cut off. Each character matches
 * in only one way, so that matching takes linear time.
 */
const QUOTED = new RegExp(
  `\\\\"(${NAMES})\\\\"\\s*:\\s*\\\\"(?:[^"\\\\]|\\\\[^"\\\\]|\\\\\\\\(?:\\\\[^]|[^"\\\\]))*(?:\\\\"|(?:\\\\\\\\)?(?=")|\\\\{0,3}$)`,
  'gi',
)
/** Parameters of these names in URLs and forms. */
const PARAMETERS = new RegExp(`\\b((?:${NAMES}|signature|code|state)=)[^&\\s"'\\\\#;]+`, 'gi')
/** Paths that act as credentials: share links, signed URLs, upload parts, and links to set something up or choose a password. */
const PATHS = /(\/(?:s|signed|parts|setup|invitation|password-reset)[/#])[\w.~%-]{16,}/g
const SCHEMES = /\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi
const USERINFO = /((?<![a-z\d+.-])[a-z\d+.-]+:\/\/[^\s:@/"]*:)[^\s@/"]+@/gi
/** A line without any of these needs no redaction: most lines pass with this one test. */
const SUSPICIOUS = new RegExp(`[=@#]|Bearer|Basic|/(?:s|signed|parts|setup)/|"(?:${NAMES})\\\\?"`, 'i')

/** A log line without credentials, whether recognised by their form, their field or their path. */
export function redacted(line: string): string {
  const text = withoutCredentials(line)
  if (!SUSPICIOUS.test(text)) return text
  return text
    .replace(FIELDS, '"$1":"[redacted]"')
    .replace(QUOTED, '\\"$1\\":\\"[redacted]\\"')
    .replace(PARAMETERS, '$1[redacted]')
    .replace(PATHS, '$1[redacted]')
    .replace(SCHEMES, '$1 [redacted]')
    .replace(USERINFO, '$1[redacted]@')
}

/** Loggers that already name their request: the ones Fastify creates for each. */
const ofRequests = new WeakSet<object>()
/** Marks a logger as one whose lines carry `request_id`. */
export function markOfRequest<L extends object>(log: L): L {
  ofRequests.add(log)
  return log
}

/**
 * The process's log, one JSON object per line, so that text from users is always escaped. Lines of a request carry its
 * `request_id`, and its `trace_id` where it is traced. Credentials are redacted wherever they stand in an entry.
 */
export const createLog = (level: string, to: NodeJS.WritableStream | undefined) =>
  pino(
    {
      level,
      base: undefined,
      redact: ['req.headers.authorization', 'headers.authorization', 'req.headers.cookie', 'headers.cookie'],
      hooks: { streamWrite: redacted },
      mixin(_entry, _level, logger) {
        const meter = currentMeter()
        if (!meter) return {}
        return {
          ...(meter.requestId !== null && !ofRequests.has(logger) ? { request_id: meter.requestId } : {}),
          ...(meter.span ? { trace_id: meter.span.traceId } : {}),
        }
      },
    },
    (to ?? pino.destination({ sync: false })) as pino.DestinationStream,
  )

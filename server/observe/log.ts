import { pino } from 'pino'
import { currentMeter } from './meter.ts'

/**
 * Credentials recognisable by their form: access tokens, JWTs (bounded, to limit the matching time), signing secrets.
 */
const CREDENTIALS = /svc_pat_[0-9A-Za-z]{20,}|eyJ[\w-]{8,1000}\.[\w-]+\.[\w-]+|whsec_[\w+/=-]{8,}/g

/** A text with its credentials redacted. */
export const withoutCredentials = (text: string): string => text.replace(CREDENTIALS, '[redacted]')

const NAMES = [
  'authorization|proxy-authorization|cookie|set-cookie|x-amz-security-token|x-svc-signature|webhook-signature',
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
/** Paths that act as credentials: share links, signed URLs, upload parts, setup links. */
const PATHS = /(\/(?:s|signed|parts|setup)[/#])[\w.~%-]{16,}/g
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

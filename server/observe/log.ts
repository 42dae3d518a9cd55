import { pino } from 'pino'
import { currentMeter } from './meter.ts'

/** What is a credential by its form: personal access tokens, JWTs (bounded, so that no text takes long), signing secrets. */
const CREDENTIALS = /svc_pat_[0-9A-Za-z]{20,}|eyJ[\w-]{8,1000}\.[\w-]+\.[\w-]+|whsec_[\w+/=-]{8,}/g

/** A text with every credential in it taken out. */
export const withoutCredentials = (text: string): string => text.replace(CREDENTIALS, '[redacted]')

const NAMES = [
  'authorization|proxy-authorization|cookie|set-cookie|x-amz-security-token|x-svc-signature|webhook-signature',
  'password|current_password|new_password|secret|client_secret|secret_key|secretAccessKey|sessionToken',
  'token|access_token|refresh_token|id_token|code_verifier|ticket|x-amz-signature|x-amz-credential',
].join('|')
/** Fields of these names with a text or a list of texts. */
const FIELDS = new RegExp(`"(${NAMES})":(?:"(?:\\\\.|[^"\\\\])*"|\\[(?:"(?:\\\\.|[^"\\\\])*",?)*\\])`, 'gi')
/**
 * The same in JSON that stands as a text in a field, to its end or where it was cut off. Each character can be read in one
 * way only, so that no text takes longer than its length.
 */
const QUOTED = new RegExp(
  `\\\\"(${NAMES})\\\\"\\s*:\\s*\\\\"(?:[^"\\\\]|\\\\[^"\\\\]|\\\\\\\\(?:\\\\[^]|[^"\\\\]))*(?:\\\\"|(?:\\\\\\\\)?(?=")|\\\\{0,3}$)`,
  'gi',
)
/** Parameters of these names, in URLs and forms. */
const PARAMETERS = new RegExp(`\\b((?:${NAMES}|signature|code|state)=)[^&\\s"'\\\\#;]+`, 'gi')
/** Paths that are as good as a credential: share links, signed URLs, parts of uploads, setup links. */
const PATHS = /(\/(?:public\/s|signed|parts|setup)[/#])[\w.~%-]{16,}/g
const SCHEMES = /\b(Bearer|Basic)\s+[\w+/=.~-]{8,}/gi
const USERINFO = /((?<![a-z\d+.-])[a-z\d+.-]+:\/\/[^\s:@/"]*:)[^\s@/"]+@/gi
/** What one of them must hold: most lines are done with this one look. */
const SUSPICIOUS = new RegExp(`[=@#]|Bearer|Basic|/(?:public/s|signed|parts|setup)/|"(?:${NAMES})\\\\?"`, 'i')

/** A line of the log without what opens anything: more than is a credential by its form (K15). */
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

/** Loggers that name their request already: those that Fastify makes for each. */
const ofRequests = new WeakSet<object>()
/** Marks a logger as one whose lines carry `request_id`. */
export function markOfRequest<L extends object>(log: L): L {
  ofRequests.add(log)
  return log
}

/**
 * The log of the process, one JSON line an entry: whatever users wrote is escaped in it. Lines of a request carry its
 * `request_id`, and `trace_id` where it is traced. Credentials never reach it, wherever in an entry they stand (K15).
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

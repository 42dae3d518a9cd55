import { pino } from 'pino'

/** Anything that is a credential by its form: personal access tokens, JWTs, signing secrets. */
const CREDENTIALS = /svc_pat_[0-9A-Za-z]{20,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]+|whsec_[\w+/=-]{8,}/g

/** A text with every credential in it taken out. */
export const withoutCredentials = (text: string): string => text.replace(CREDENTIALS, '[redacted]')

/** The log of the process, one JSON line an entry. Credentials never reach it, wherever in an entry they stand (K15). */
export const createLog = (level: string, to: NodeJS.WritableStream | undefined) =>
  pino(
    {
      level,
      base: undefined,
      redact: ['req.headers.authorization', 'headers.authorization', 'req.headers.cookie', 'headers.cookie'],
      hooks: { streamWrite: withoutCredentials },
    },
    (to ?? pino.destination({ sync: false })) as pino.DestinationStream,
  )

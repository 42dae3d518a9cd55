/** What kind of failure occurred between us and a receiver. */
export type FailureClass =
  | 'dns'
  | 'blocked'
  | 'connect'
  | 'tls'
  | 'timeout_headers'
  | 'timeout_body'
  | 'reset'
  | 'protocol'
  | 'proxy'

/**
 * Why a request got no response. The message is for administrators; it never contains an address that is not allowed.
 */
export class OutboundFailure extends Error {
  readonly kind: FailureClass
  constructor(kind: FailureClass, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.kind = kind
  }
}

export const blocked = (cause?: string): OutboundFailure =>
  new OutboundFailure('blocked', 'address not allowed', { cause })

/** Classifies an error of the socket, of TLS or of the HTTP client during this phase. */
export function asFailure(error: unknown, phase: 'connect' | 'tls' | 'exchange'): OutboundFailure {
  if (error instanceof OutboundFailure) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  const text = [code, message]
    .filter((one) => one !== '')
    .join(': ')
    .slice(0, 300)
  if (phase !== 'exchange') return new OutboundFailure(phase, `${phase}: ${text}`, { cause: error })
  const broken = /^(ECONNRESET|EPIPE|ECONNABORTED|ETIMEDOUT)$/.test(code)
  const closed = code === 'UND_ERR_SOCKET' && !message.startsWith('bad ')
  if (broken || closed)
    return new OutboundFailure('reset', `the connection ended before an answer: ${text}`, { cause: error })
  return new OutboundFailure('protocol', `invalid HTTP response: ${text}`, { cause: error })
}

/** SQLSTATE of a server that ends (57P01–57P03), has no connection left (53300), or lost one (class 08). */
const STATES = /^(57P0[123]|53300|08[0-9A-Z]{3})$/
/** Of the socket, and of the name of the host. */
const SOCKET = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
])
/** What the pool and its connections say without a code. */
const SAID =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/

const noted = new WeakSet<Error>()

/** Notes an error of the database, where it comes from, if it tells that the database cannot be reached. */
export function noteOutage(error: unknown): void {
  if (!(error instanceof Error)) return
  const code = 'code' in error ? String(error.code) : ''
  if (STATES.test(code) || SOCKET.has(code) || SAID.test(error.message)) noted.add(error)
}

/**
 * Whether something failed only because the database could not be reached: before it was done, or in the midst of a
 * commit, of which nobody knows then whether it was done.
 */
export const isDatabaseOutage = (error: unknown): boolean =>
  error instanceof Error && (noted.has(error) || isDatabaseOutage(error.cause))

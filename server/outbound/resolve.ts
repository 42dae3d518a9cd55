import dns from 'node:dns'
import { OutboundFailure } from './failure.ts'

export type Resolve = (name: string) => Promise<string[]>

/** Timeout per query and server; each is asked twice. */
const TIMEOUT_MS = 2000
const TRIES = 2

/**
 * Resolves every address of a name; rejects with an OutboundFailure `dns` if there is none. It uses c-ares, which
 * blocks no thread: `dns.lookup` takes one that bcrypt and files share, and a server that never responds would occupy
 * it. The names in `systemNames` are resolved by the system, with its hosts file and search domains.
 */
export function createResolve(options: { servers: readonly string[]; systemNames: readonly string[] }): Resolve {
  const resolver = new dns.promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (options.servers.length > 0) resolver.setServers(options.servers)
  const system = new Set(options.systemNames.map((one) => one.toLowerCase()))
  return async (name) => {
    if (system.has(name.toLowerCase().replace(/\.$/, ''))) return lookUp(name)
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (addresses.length > 0) return addresses
    const failures = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as NodeJS.ErrnoException] : []))
    throw failed(name, failures.find(({ code }) => code !== 'ENODATA') ?? failures[0])
  }
}

/** Resolves a name as the machine does, with its hosts file and search domains. It takes a thread meanwhile. */
export const lookUp: Resolve = async (name) => {
  try {
    return (await dns.promises.lookup(name, { all: true })).map(({ address }) => address)
  } catch (error) {
    throw failed(name, error as NodeJS.ErrnoException)
  }
}

const failed = (name: string, cause: NodeJS.ErrnoException | undefined): OutboundFailure =>
  new OutboundFailure('dns', `the name ${name} cannot be resolved: ${cause?.code ?? 'no address'}`, { cause })

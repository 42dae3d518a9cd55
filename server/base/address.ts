import os from 'node:os'
import ipaddr from 'ipaddr.js'

export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Parses a network (`10.0.0.0/8`) or a single address; throws an Error that names anything else. */
export function parseRange(text: string): Range {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    const address = ipaddr.parse(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  } catch {
    throw new Error(`has "${text}", which is not an address or network`)
  }
}

/** Link-local, cloud metadata, unspecified and broadcast addresses: no configuration allows them. */
const NEVER = [
  '0.0.0.0/32',
  '169.254.0.0/16',
  '168.63.129.16/32',
  '224.0.0.0/4',
  '255.255.255.255/32',
  '::/128',
  'fe80::/10',
  'fd00:ec2::254/128',
  'ff00::/8',
].map(parseRange)
/** Global unicast (RFC 4291): IANA has assigned nothing outside. ipaddr.js calls the rest of the space unicast too. */
const IPV6_GLOBAL = parseRange('2000::/3')
/** Azure's WireServer: a public address that answers only inside. */
const EXTRA_DENIED = [parseRange('168.63.129.16')]
/** Where an IPv6 address embeds the IPv4 address that packets go to, and the byte at which it starts. */
const CARRIERS = [
  ['::/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
].map(([range, at]) => ({ range: parseRange(range as string), at: at as number }))

/** The addresses that are allowed besides public ones, and the public ones that are not. */
export interface AddressRules {
  readonly allowed: readonly Range[]
  readonly denied: readonly Range[]
  /** Whether only the allowed ones may be reached, and no public ones besides. */
  readonly allowedOnly?: boolean
}

const within = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly Range[]): boolean =>
  ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base as never, bits))

/** The address in the form that is checked: IPv4 in IPv6 unwrapped, without a zone; undefined if it is not one. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  let plain = text.split('%', 1)[0] ?? ''
  // ipaddr.js reads the IPv4-compatible ::8.8.8.8, as DNS answers spell it, as if it were the mapped ::ffff:8.8.8.8.
  if (plain.includes(':') && plain.includes('.'))
    plain = URL.canParse(`http://[${plain}]`) ? new URL(`http://[${plain}]`).hostname.slice(1, -1) : ''
  if (!ipaddr.isValid(plain)) return undefined
  const address = ipaddr.parse(plain)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Whether a text is an address in one of the ranges; IPv4 in IPv6 counts as IPv4. */
export function isWithin(text: string, ranges: readonly Range[]): boolean {
  const address = parse(text)
  return address !== undefined && within(address, ranges)
}

/** Whether an address can never be allowed by configuration. */
export function isNeverAllowed(text: string): boolean {
  const address = parse(text)
  if (!address || within(address, NEVER)) return true
  if (!(address instanceof ipaddr.IPv6)) return false
  const carrier = CARRIERS.find(({ range }) => within(address, [range]))
  const [a = 0, b = 0, c = 0, d = 0] = address.toByteArray().slice(carrier?.at ?? 0)
  // ::1 does not embed 0.0.0.1.
  return carrier !== undefined && within(new ipaddr.IPv4([a, b, c, d]), NEVER)
}

/** Whether connecting to an address is allowed; false for anything that is not an address. */
export function mayConnect(text: string, { allowed, denied, allowedOnly }: AddressRules): boolean {
  const address = parse(text)
  if (!address || isNeverAllowed(text) || within(address, denied)) return false
  if (within(address, allowed)) return true
  if (allowedOnly || address.range() !== 'unicast' || within(address, EXTRA_DENIED)) return false
  return address.kind() === 'ipv4' || within(address, [IPV6_GLOBAL])
}

/** Whether an address is this machine's own. */
export function isOwnAddress(text: string): boolean {
  const address = parse(text)
  if (!address) return false
  if (address.range() === 'loopback') return true
  const own = Object.values(os.networkInterfaces()).flatMap((one) => one ?? [])
  return own.some((one) => parse(one.address)?.toString() === address.toString())
}

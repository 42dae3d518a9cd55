import ipaddr from 'ipaddr.js'

/** An address, or an IPv6 subscriber's /64, within which an attacker can change addresses at will. */
export function source(ip: string | null): string {
  if (ip === null || !ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return Buffer.from(address.toByteArray().slice(0, address.kind() === 'ipv6' ? 8 : 4)).toString('hex')
}

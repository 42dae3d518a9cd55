/**
 * Whether a policy makes a bucket public
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html#access-control-block-public-access-policy-status).
 */
import ipaddr from 'ipaddr.js'
import type { Policy, Statement } from './document.ts'

/** Keys whose fixed values bind a statement to somebody. */
const BINDING = new Set([
  'aws:principalarn',
  'aws:principalaccount',
  'aws:principalorgid',
  'aws:principalorgpaths',
  'aws:sourcearn',
  'aws:sourceaccount',
  'aws:sourceowner',
  'aws:sourcevpc',
  'aws:sourcevpce',
  'aws:sourceorgid',
  'aws:sourceorgpaths',
  'aws:userid',
  'aws:username',
  's3:dataaccesspointarn',
  's3:dataaccesspointaccount',
])
const FIXED = /^(ForAnyValue:)?(StringEquals|StringEqualsIgnoreCase|StringLike|ArnEquals|ArnLike)$/i
/** Networks of more addresses than these are no limit. */
const WIDEST = { ipv4: 8, ipv6: 32 } as const

const isNarrow = (range: string): boolean => {
  const [address = '', bits] = range.split('/')
  const kind = ipaddr.isValid(address) ? ipaddr.parse(address).kind() : 'ipv4'
  return bits === undefined || Number(bits) >= WIDEST[kind]
}

/** Whether a statement allows something to everyone. */
export const isPublicStatement = ({ effect, principal, conditions }: Statement): boolean =>
  effect === 'Allow' &&
  principal !== undefined &&
  (principal.negated || principal.entries.some(({ kind }) => kind === 'anyone')) &&
  !conditions.some(({ operator, key, values }) => {
    if (key === 'aws:sourceip') return /^(ForAnyValue:)?IpAddress$/i.test(operator) && values.every(isNarrow)
    return BINDING.has(key) && FIXED.test(operator) && values.every((value) => !/[*?]|\$\{/.test(value))
  })

/** Whether a policy allows something to everyone. */
export const isPublicPolicy = ({ statements }: Policy): boolean => statements.some(isPublicStatement)

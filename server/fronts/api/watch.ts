import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../contract/errors.ts'
import type { Config } from '../../config/config.ts'

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/
const LOCAL_NAME = /^(127(\.\d{1,3}){3}|localhost|\[::1\])$/i
/** Headers that proxies add. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Whether a request may read the metrics without an administrator's credential: it has METRICS_TOKEN, or METRICS=open
 * admits everyone, or it comes from this machine without a proxy while nothing indicates that the service is public.
 * Throws not_found if metrics are off.
 */
export function mayWatch(config: Config, { headers, raw }: FastifyRequest): boolean {
  if (config.metrics === 'off') throw new ServiceError('not_found', 'No such path.')
  if (config.metrics === 'open') return true
  if (config.metricsToken !== null) return isToken(headers.authorization, config.metricsToken)
  return (
    config.trustedProxies.length === 0 &&
    LOCAL_NAME.test(new URL(config.publicBaseUrl).hostname) &&
    LOOPBACK.test(raw.socket.remoteAddress ?? '') &&
    LOCAL_NAME.test(hostOf(headers.host)) &&
    FORWARDED.every((name) => headers[name] === undefined)
  )
}

const hostOf = (host = ''): string => host.replace(/:\d+$/, '')

function isToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

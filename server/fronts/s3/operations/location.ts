import type { Exchange } from '../requests/exchange.ts'
import { bucketOfHost } from '../requests/target.ts'

/**
 * The URL of an object: below `S3_PUBLIC_URL` if it is set, else at the host that the client asked. Keys are encoded but
 * for their slashes.
 */
export function locationOf({ system: { config }, request, scheme, bucket, key }: Exchange): string {
  const { publicUrl, domains } = config.s3
  const { host = '' } = request.headers
  const path = key.split('/').map(encodeURIComponent).join('/')
  if (publicUrl) return `${publicUrl.replace(/\/$/, '')}/${bucket}/${path}`
  const isNamedByHost = bucketOfHost(host, domains) !== null
  return `${scheme}://${host}/${isNamedByHost ? '' : `${bucket}/`}${path}`
}

// How objects are called as resources: strongroom://bucket/key, each segment of the key percent-encoded.
import { isBucketName, isKeyText } from '../../../contract/names.ts'

const START = 'strongroom://'

export const uriOf = (bucket: string, key: string): string =>
  `${START}${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`

/** What a URI names; undefined if it is none of ours. */
export function readUri(uri: string): { bucket: string; key: string } | undefined {
  if (!uri.startsWith(START)) return undefined
  const [bucket = '', ...rest] = uri.slice(START.length).split('/')
  try {
    const key = decodeURIComponent(rest.join('/'))
    return isBucketName(bucket) && isKeyText(key, 1) ? { bucket, key } : undefined
  } catch {
    return undefined
  }
}

import { malformedHeader } from '../base/invalid.ts'

/** Reads a Content-MD5 header (RFC 1864) as hex; undefined without one. Throws malformed. */
export function contentMd5(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const bytes = Buffer.from(String(header), 'base64')
  if (bytes.length === 16 && /^[A-Za-z0-9+/]{22}==$/.test(String(header))) return bytes.toString('hex')
  throw malformedHeader('content-md5', 'must be the base64 of 16 bytes')
}

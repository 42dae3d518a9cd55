import path from 'node:path'
import { lookup } from 'mime-types'
import { invalid } from './invalid.ts'

export const DEFAULT_TYPE = 'application/octet-stream'
/** What can be sent as a header: printable ASCII. Whether it is a media type is the business of whoever reads it. */
const SENDABLE = /^[\x20-\x7e\t]{1,1024}$/

/** Throws invalid_request for a content type that could not be sent back as it was given; none is no fault. */
export function assertContentType(given: string | undefined, path: string): void {
  if (given && !SENDABLE.test(given)) throw invalid(path, 'must have at most 1024 characters of printable ASCII')
}

/**
 * The content type to store: exactly the given one, for somebody may have judged it; without one, by the key's extension.
 * One that cannot be sent counts as none: where people give it, call `assertContentType` before.
 */
export const typeOf = (given: string | undefined, key: string): string =>
  given && SENDABLE.test(given) ? given : lookup(extensionOf(key)) || DEFAULT_TYPE

/** What S3 has for contents whose sender does not say what they are, whatever their key ends with. */
export const UNTYPED = 'binary/octet-stream'

/** The content type that is shown to people: of what came untyped, that of the key's extension. */
export const shownType = ({ content_type, key }: { content_type: string; key: string }): string =>
  content_type === UNTYPED ? typeOf(undefined, key) : content_type

/** The media types of a content type: to browsers one with commas is a list, of which the last counts. */
export const mediaTypesIn = (contentType: string): string[] =>
  contentType.split(',').map((one) => one.split(';', 1)[0]?.trim().toLowerCase() ?? '')

/**
 * Includes the dot; '' if the name has none. `lookup` would take a bare name for an extension: a key `html` is not a
 * page.
 */
const extensionOf = (key: string): string => path.posix.extname(key.slice(key.lastIndexOf('/') + 1))

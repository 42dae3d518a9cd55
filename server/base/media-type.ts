import path from 'node:path'
import { lookup } from 'mime-types'

export const DEFAULT_TYPE = 'application/octet-stream'
/** RFC 9110 media type with parameters; anything else is not stored as a content type. */
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}([ \t]*;[\x20-\x7e]*)?$/

/** The content type to store: the given one if it is a media type, otherwise by the key's extension. */
export const typeOf = (given: string | undefined, key: string): string =>
  given && given.length <= 255 && MEDIA_TYPE.test(given) ? given : lookup(extensionOf(key)) || DEFAULT_TYPE
/**
 * Includes the dot; '' if the name has none. `lookup` would take a bare name for an extension: a key `html` is not a
 * page.
 */
const extensionOf = (key: string): string => path.posix.extname(key.slice(key.lastIndexOf('/') + 1))

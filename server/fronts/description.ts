import { Value } from 'typebox/value'
import { ObjectHeaders, objectHeaderNames, Tags } from '../../contract/shapes.ts'
import { keptText, utf8Of } from '../base/header-text.ts'
import { invalid } from '../base/invalid.ts'
import { assertContentType, typeOf } from '../base/media-type.ts'
import { type Description, METADATA_BYTES, REDIRECT_LOCATION } from '../storage/objects/describe.ts'

type Headers = { readonly [name: string]: string | string[] | undefined }

/** The headers of a front that describe an object: those for metadata start with `metadata`. */
export interface DescribingHeaders {
  metadata: string
  /** Undefined where tags are read otherwise. */
  tags?: string
}

/** What the headers of an upload say about the object with this key. Throws invalid_request. */
export function descriptionOf(headers: Headers, key: string, names: DescribingHeaders): Description {
  const contentType = headers['content-type'] as string | undefined
  assertContentType(contentType, 'header.content-type')
  return {
    content_type: typeOf(contentType, key),
    headers: objectHeadersOf(headers),
    metadata: metadataOf(headers, names.metadata),
    tags:
      names.tags === undefined || headers[names.tags] === undefined
        ? undefined
        : tagsOf(utf8Of(String(headers[names.tags])), names.tags),
  }
}

function objectHeadersOf(headers: Headers): ObjectHeaders {
  const kept: ObjectHeaders = {}
  for (const name of objectHeaderNames) if (headers[name]) kept[name] = keptText(String(headers[name]))
  const wrong = objectHeaderNames.find((one) => kept[one] && !Value.Check(ObjectHeaders, { [one]: kept[one] }))
  if (wrong === undefined) return kept
  throw invalid(
    `header.${wrong}`,
    wrong === REDIRECT_LOCATION
      ? 'must start with /, http:// or https://, and have at most 2048 characters, none of them a control character'
      : 'must have at most 1024 characters, none of them a control character',
  )
}

function tagsOf(text: string | undefined, name: string): Tags {
  if (text === undefined) throw invalid(`header.${name}`, 'must be UTF-8')
  const pairs = [...new URLSearchParams(text)]
  const tags: Tags = Object.fromEntries(pairs)
  if (Object.keys(tags).length < pairs.length) throw invalid(`header.${name}`, 'must name each tag once')
  if (Value.Check(Tags, tags)) return tags
  throw invalid(
    `header.${name}`,
    'must be at most 10 tags, their names of 1 to 128 and their values of up to 256 characters',
  )
}

function metadataOf(headers: Headers, start: string): { [name: string]: string } {
  // `x-meta-__proto__` is an ordinary name.
  const metadata: { [name: string]: string } = Object.create(null)
  const names = Object.keys(headers).filter((name) => name.startsWith(start) && name.length > start.length)
  if (names.length === 0) return metadata
  for (const name of names) metadata[name.slice(start.length)] = keptText(String(headers[name]))
  if (Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES) return metadata
  throw invalid(`header.${start}*`, `must not exceed ${METADATA_BYTES} bytes in total`)
}

import { Value } from 'typebox/value'
import { compareKeys } from '../../../../../contract/permissions.ts'
import { BucketTags, MOST_BUCKET_TAGS, MOST_TAGS, Tags } from '../../../../../contract/shapes.ts'
import { setConfig } from '../../../../storage/buckets/documents/config.ts'
import { updateMetadata } from '../../../../storage/objects/update.ts'
import { tagVersion } from '../../../../storage/versions/tag.ts'
import { type AnswerHeaders, answer, answerXml } from '../../answers/answer.ts'
import { versionHeader } from '../../answers/version-headers.ts'
import { element, result } from '../../answers/xml.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import type { Exchange } from '../../requests/exchange.ts'
import {
  childText,
  type DocumentShape,
  malformedXml,
  many,
  readDocument,
  type XmlNode,
} from '../../requests/read-xml.ts'
import { type Query, readQuery } from '../../requests/target.ts'
import { versionIn } from '../../requests/version-id.ts'
import { getVisible } from '../existence.ts'

const MOST_BYTES = 65_536
/** More tags than there may be, so that those are refused by name. */
export const TAGGING: DocumentShape = {
  root: 'Tagging',
  most: MOST_BYTES,
  elements: { TagSet: { Tag: many(2 * MOST_BUCKET_TAGS, { Key: 'text', Value: 'text' }) } },
}

/** Whose tags a document has: their shape, and how an error calls them. */
interface Tagged {
  shape: typeof Tags
  most: number
  name: string
}
const ofObject: Tagged = { shape: Tags, most: MOST_TAGS, name: 'Object' }
const ofBucket: Tagged = { shape: BucketTags, most: MOST_BUCKET_TAGS, name: 'Bucket' }

/**
 * What tags may consist of: letters, digits and spaces of any script, and some signs
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/API_Tag.html and the user guide on object tagging).
 */
const TAG_TEXT = /^[\p{L}\p{M}\p{N}\p{Zs}_.:/=+\-@]*$/u

/** Throws InvalidTag for a key or a value that S3 does not allow. */
export function assertTagTexts(tags: Tags): void {
  for (const [key, value] of Object.entries(tags)) {
    const field = { TagKey: key }
    if (key === '' || key.length > 128 || !TAG_TEXT.test(key))
      throw new S3Error('InvalidTag', 'The TagKey you have provided is invalid', { fields: field })
    if (/^aws:/i.test(key))
      throw new S3Error('InvalidTag', 'System tags cannot be added/updated by requester', { fields: field })
    if (value.length > 256 || !TAG_TEXT.test(value))
      throw new S3Error('InvalidTag', 'The TagValue you have provided is invalid', {
        fields: { ...field, TagValue: value },
      })
  }
}

/** The tags of a `<Tagging>` document, by default an object's; throws MalformedXML or InvalidTag. */
export function tagsOf(document: XmlNode, tagged: Tagged = ofObject): Tags {
  const [set] = document.children.filter(({ name }) => name === 'TagSet')
  if (!set) throw malformedXml()
  return tagsIn(set, tagged)
}

/** The tags that a new bucket is to have, of the `<Tags>` of its configuration. Throws MalformedXML or InvalidTag. */
export const newBucketTags = (set: XmlNode): Tags => tagsIn(set, ofBucket)

/** The tags that `x-amz-tagging` has, as a query. Throws InvalidArgument, BadRequest or InvalidTag. */
export function tagsInHeader(text: string): Tags {
  const wrong = () =>
    invalidArgument(
      'x-amz-tagging',
      text,
      "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
    )
  let pairs: Query
  try {
    pairs = readQuery(Buffer.from(text).toString('latin1'))
  } catch {
    throw wrong()
  }
  const tags: Tags = Object.fromEntries(pairs)
  if (Object.keys(tags).length < pairs.length || pairs.some(([key]) => key === '')) throw wrong()
  if (pairs.length > MOST_TAGS) throw new S3Error('BadRequest', `Object tags cannot be greater than ${MOST_TAGS}`)
  assertTagTexts(tags)
  return tags
}

/** Tags as a document has them, one `<Tag>` each. Throws MalformedXML or InvalidTag. */
function tagsIn(set: XmlNode, { shape, most, name }: Tagged): Tags {
  const pairs = set.children.map((tag): [string, string] => {
    const [key, value] = [childText(tag, 'Key'), childText(tag, 'Value')]
    if (tag.name !== 'Tag' || key === undefined || value === undefined) throw malformedXml()
    return [key, value]
  })
  const tags: Tags = Object.fromEntries(pairs)
  if (Object.keys(tags).length < pairs.length)
    throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key')
  if (pairs.length > most) throw new S3Error('InvalidTag', `${name} tags cannot be greater than ${most}`)
  assertTagTexts(tags)
  if (!Value.Check(shape, tags))
    throw new S3Error('InvalidTag', 'A tag key has 1 to 128 characters, a tag value at most 256.')
  return tags
}

/** The document of a bucket's or an object's tags. */
export function taggingDocument(tags: Tags): string {
  const elements = Object.entries(tags)
    .sort(([a], [b]) => compareKeys(a, b))
    .map(([name, value]) => element('Tag', element('Key', name), element('Value', value)))
  return result('Tagging', element('TagSet', ...elements, ''))
}

export async function getObjectTagging(exchange: Exchange): Promise<void> {
  const { row, versioning } = await getVisible(exchange)
  const tags = row.tags === null ? {} : (JSON.parse(row.tags) as Tags)
  await answerXml(exchange, taggingDocument(tags), versionHeader(versioning, row))
}

export async function putObjectTagging(exchange: Exchange): Promise<void> {
  const tags = tagsOf(await readDocument(exchange, TAGGING))
  await answer(exchange, 200, await setTags(exchange, tags))
}

export async function deleteObjectTagging(exchange: Exchange): Promise<void> {
  await answer(exchange, 204, await setTags(exchange, {}))
}

/** Sets the tags of an object, or of the version that is named. */
async function setTags(exchange: Exchange, tags: Tags): Promise<AnswerHeaders> {
  exchange.newTags = tags
  const { ctx, bucket, key } = exchange
  const version = versionIn(exchange)
  const { version_id } = await (version === undefined
    ? updateMetadata(ctx, { bucket, key }, { tags }, {})
    : tagVersion(ctx, bucket, { key, version_id: version }, tags))
  return { 'x-amz-version-id': version_id }
}

export async function putBucketTagging(exchange: Exchange): Promise<void> {
  const tags = tagsOf(await readDocument(exchange, TAGGING), ofBucket)
  await setConfig(exchange.ctx, exchange.bucket, 'tagging', tags)
  // Documents say 204 too, but there are clients that take only this for a success.
  await answer(exchange, 200, {})
}

export async function deleteBucketTagging(exchange: Exchange): Promise<void> {
  await setConfig(exchange.ctx, exchange.bucket, 'tagging', null)
  await answer(exchange, 204, {})
}

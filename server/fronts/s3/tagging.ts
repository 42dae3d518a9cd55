import { Value } from 'typebox/value'
import { compareKeys } from '../../../contract/permissions.ts'
import { Tags } from '../../../contract/shapes.ts'
import { updateMetadata } from '../../storage/objects/bulk.ts'
import { getObject } from '../../storage/objects/service.ts'
import { S3Error } from './errors.ts'
import { answer, answerXml, type Exchange } from './exchange.ts'
import { childText, malformedXml, readXml, type XmlNode } from './read-xml.ts'
import { verified } from './verified.ts'
import { element, result } from './xml.ts'

const MOST_BYTES = 65_536

/** The tags of a `<Tagging>` document; throws MalformedXML or InvalidTag. */
export function tagsOf(document: XmlNode): Tags {
  const [set] = document.children.filter(({ name }) => name === 'TagSet')
  if (!set) throw malformedXml()
  const pairs = set.children.map((tag): [string, string] => {
    const [key, value] = [childText(tag, 'Key'), childText(tag, 'Value')]
    if (tag.name !== 'Tag' || key === undefined || value === undefined) throw malformedXml()
    return [key, value]
  })
  const tags: Tags = Object.fromEntries(pairs)
  if (Object.keys(tags).length < pairs.length)
    throw new S3Error('InvalidTag', 'Cannot provide multiple Tags with the same key')
  if (pairs.length > 10) throw new S3Error('InvalidTag', 'Object tags cannot be greater than 10')
  if (!Value.Check(Tags, tags))
    throw new S3Error('InvalidTag', 'A tag key has 1 to 128 characters, a tag value at most 256.')
  return tags
}

export async function getObjectTagging(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  const row = await getObject(ctx, bucket, key)
  const tags = Object.entries<string>(row.tags === null ? {} : JSON.parse(row.tags))
  const elements = tags
    .sort(([a], [b]) => compareKeys(a, b))
    .map(([name, value]) => element('Tag', element('Key', name), element('Value', value)))
  await answerXml(exchange, result('Tagging', element('TagSet', ...elements, '')))
}

export async function putObjectTagging(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  await updateMetadata(
    ctx,
    { bucket, key },
    { tags: tagsOf(await readXml(verified(exchange), 'Tagging', MOST_BYTES)) },
    undefined,
  )
  await answer(exchange, 200, {})
}

export async function deleteObjectTagging(exchange: Exchange): Promise<void> {
  const { ctx, bucket, key } = exchange
  await updateMetadata(ctx, { bucket, key }, { tags: {} }, undefined)
  await answer(exchange, 204, {})
}

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { S3Error } from '../../server/fronts/s3/errors.ts'
import { VERSIONING } from '../../server/fronts/s3/operations/buckets/buckets.ts'
import { CREATION } from '../../server/fronts/s3/operations/buckets/create-bucket.ts'
import { ACL } from '../../server/fronts/s3/operations/documents/acl-request.ts'
import { CORS } from '../../server/fronts/s3/operations/documents/cors.ts'
import { INVENTORY } from '../../server/fronts/s3/operations/documents/inventory.ts'
import { LIFECYCLE } from '../../server/fronts/s3/operations/documents/lifecycle.ts'
import { OWNERSHIP, PUBLIC_ACCESS_BLOCK } from '../../server/fronts/s3/operations/documents/ownership.ts'
import { REPLICATION } from '../../server/fronts/s3/operations/documents/replication.ts'
import { TAGGING } from '../../server/fronts/s3/operations/documents/tagging.ts'
import { WEBSITE } from '../../server/fronts/s3/operations/documents/website.ts'
import { LEGAL_HOLD, OBJECT_LOCK, RETENTION } from '../../server/fronts/s3/operations/locks.ts'
import { DELETIONS } from '../../server/fronts/s3/operations/objects/delete-objects.ts'
import { COMPLETION } from '../../server/fronts/s3/operations/uploads/complete.ts'
import { type DocumentShape, type Elements, readXml } from '../../server/fronts/s3/requests/read-xml.ts'

const shapes: readonly DocumentShape[] = [
  ACL,
  VERSIONING,
  COMPLETION,
  CORS,
  CREATION,
  DELETIONS,
  LIFECYCLE,
  LEGAL_HOLD,
  OBJECT_LOCK,
  RETENTION,
  OWNERSHIP,
  PUBLIC_ACCESS_BLOCK,
  REPLICATION,
  INVENTORY,
  TAGGING,
  WEBSITE,
]

/** The places of all elements of which there may be one, and of those with their parents of which there may be many. */
function* singles(elements: Elements, above: readonly string[] = []): Generator<readonly string[]> {
  for (const [name, allowed] of Object.entries(elements)) {
    // Not even one.
    if (allowed === 'refused') continue
    const isMany = typeof allowed !== 'string' && typeof allowed.many === 'number'
    const inner = isMany ? (allowed as { of: 'text' | Elements }).of : (allowed as 'text' | Elements)
    const place = [...above, name]
    if (!isMany) yield place
    if (inner !== 'text') yield* singles(inner, place)
  }
}

/** A document with this many of an element at a place. */
function documentOf(root: string, place: readonly string[], times: number): string {
  const name = place.at(-1) ?? ''
  const innermost = `<${name}></${name}>`.repeat(times)
  return [root, ...place.slice(0, -1)].reduceRight((inner, one) => `<${one}>${inner}</${one}>`, innermost)
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

it('a document never has an element twice of which there is one: the second would be dropped without a word', async () => {
  let count = 0
  for (const shape of shapes)
    for (const place of singles(shape.elements)) {
      await readXml(bytesOf(documentOf(shape.root, place, 1)), shape)
      await assert.rejects(
        readXml(bytesOf(documentOf(shape.root, place, 2)), shape),
        (error: unknown) => error instanceof S3Error && error.code === 'MalformedXML',
        `${shape.root} ${place.join('/')}`,
      )
      count++
    }
  assert.ok(count > 80, `${count} elements`)
})

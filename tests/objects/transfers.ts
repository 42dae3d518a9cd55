import assert from 'node:assert/strict'
import type { Client } from '../../client/derived.ts'
import type { Seen, TestServer } from '../support/server.ts'

export const HOUR = 3600_000

export const GIB = 1024 ** 3

export type Kind = 'copy' | 'move'

export const KINDS: readonly Kind[] = ['copy', 'move']

export const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

export const sum = (all: number[]) => all.reduce((total, one) => total + one, 0)

export const denied: Seen = { action: 'access_denied', result: 'denied' }

/** Buckets of a server and what tests ask of them. */
export function bucketsOf(server: () => TestServer, prefix: string) {
  let made = 0
  return async (body: object = {}) => {
    const name = `${prefix}-${++made}`
    const params = { bucket: name }
    const { admin } = server()
    await admin.createBucket({ body: { name, ...body } })
    const one = (kind: Kind) => (kind === 'copy' ? admin.copyObject : admin.moveObject)
    const many = (kind: Kind) => (kind === 'copy' ? admin.bulkCopy : admin.bulkMove)
    type One = Parameters<Client['copyObject']>[0]['body']
    type Many = Parameters<Client['bulkCopy']>[0]['body']
    return {
      name,
      put: (key: string, body: string | Buffer = key, headers: Record<string, string> = {}) =>
        admin.putObject({ params: { bucket: name, key }, body: Buffer.from(body), headers }),
      text: async (key: string) =>
        (await admin.getObjectByQuery({ params, query: { key } }).catch(() => undefined))?.text() ?? null,
      keys: async () => (await admin.listObjects({ params, query: { limit: 1000 } })).items.map(({ key }) => key),
      find: async (key: string) => {
        const { items } = await admin.listObjects({ params, query: { prefix: key } })
        return items.find((item) => item.key === key)
      },
      trash: async () => (await admin.listTrash({ params, query: { limit: 1000 } })).items,
      restore: (...ids: string[]) => admin.restoreTrash({ params, body: { ids } }),
      usage: async () => {
        const { used_bytes, object_count, trash_bytes } = await admin.getBucket({ params })
        return [used_bytes, object_count, trash_bytes]
      },
      take: (kind: Kind, source_key: string, source_bucket = name, more: Partial<One> = {}) =>
        one(kind)({ params, body: { source_bucket, source_key, ...more } }),
      takeMany: (kind: Kind, keys: string[], source_bucket = name, more: Partial<Many> = {}) =>
        many(kind)({ params, body: { source_bucket, keys, ...more } }),
      removeMany: (keys: string[]) => admin.bulkDelete({ params, body: { keys } }),
    }
  }
}

/** Asserts that what is counted for a bucket, and for all of them together, is what the tables hold. */
export async function assertExact({ database, admin }: TestServer, ...names: string[]): Promise<void> {
  const { db } = database
  for (const name of names) {
    const { id } = await db.selectFrom('buckets').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const sizes = async (table: 'objects' | 'trash') =>
      (await db.selectFrom(table).select('size').where('bucket_id', '=', id).execute()).map(({ size }) => size)
    const objects = await sizes('objects')
    const bucket = await admin.getBucket({ params: { bucket: name } })
    assert.deepEqual(
      [bucket.used_bytes, bucket.object_count, bucket.trash_bytes],
      [sum(objects), objects.length, sum(await sizes('trash'))],
      name,
    )
  }
  const total = await db.selectFrom('quotas').select('used_bytes').where('used_bytes', 'is not', null).execute()
  for (const { used_bytes } of total) assert.equal(used_bytes, (await admin.usage()).used_bytes)
}

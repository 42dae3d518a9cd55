import { Readable } from 'node:stream'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'
import yazl from 'yazl'
import { decide } from '../../contract/permissions.ts'
import { bucketMissing } from '../buckets/service.ts'
import { findBucket } from '../buckets/store.ts'
import { allow, allowSomewhere, type Ctx } from '../context.ts'
import * as store from './store.ts'

const PAGE = 500

/**
 * Sends the objects under a prefix, or of these keys, as a zip that is made while it is sent: stored, not compressed,
 * ZIP64 where it has to be. What the caller may not read is left out; with no right to read any of it, `forbidden`.
 */
export async function sendArchive(
  ctx: Ctx,
  name: string,
  { prefix = '', keys }: { prefix?: string | undefined; keys?: readonly string[] | undefined },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const ranges = keys ? [] : allowSomewhere(ctx.actor, 'read', name, prefix)
  const readable = keys?.filter((key) => decide(ctx.actor.groups, 'read', name, key).allowed) ?? []
  if (keys && readable.length === 0) allow(ctx.actor, 'read', name, keys[0])
  const bucket = await findBucket(ctx.db, name)
  if (!bucket) throw bucketMissing(name)

  async function* rows(): AsyncGenerator<store.ObjectRow> {
    for (let i = 0; i < readable.length; i += PAGE)
      yield* await store.findObjects(ctx.db, bucket?.id ?? '', readable.slice(i, i + PAGE))
    for (const range of ranges)
      for (let { from } = range; ; ) {
        const page = await store.listRange(ctx.db, bucket?.id ?? '', { from, to: range.to }, PAGE)
        yield* page
        const last = page.at(-1)
        if (!last || page.length < PAGE) break
        from = `${last.key}\u0001`
      }
  }

  const folder = prefix.split('/').findLast((segment) => segment !== '') ?? name
  const base = keys ? 0 : prefix.lastIndexOf('/', prefix.length - 2) + 1
  return reply
    .header('content-type', 'application/zip')
    .header('content-disposition', contentDisposition(`${folder}.zip`))
    .header('cache-control', 'private, no-store')
    .send(zipOf(ctx, rows(), base))
}

/** A zip of objects, read one after the other as it is taken. Names begin at `base` of the keys. */
function zipOf(ctx: Ctx, rows: AsyncIterable<store.ObjectRow>, base: number): Readable {
  const zip = new yazl.ZipFile()
  const output = zip.outputStream as Readable
  const names = new Set<string>()
  let current: Readable | undefined
  const fail = (error: Error) => output.destroy(error)
  zip.on('error', fail)
  output.on('close', () => current?.destroy())

  /** Resolves when the zip has asked for the bytes, so that never more than one object waits. */
  const add = (row: store.ObjectRow) =>
    new Promise<void>((resolve, reject) => {
      const options = { mtime: new Date(row.last_modified), compress: false, mode: 0o100644, size: row.size }
      zip.addReadStreamLazy(entryName(row.key.slice(base), names), options, (give) => {
        ctx.blobs.get(row.blob_id, row.size).then(
          (body) => {
            current = body instanceof Readable ? body : Readable.from([body], { objectMode: false })
            if (output.destroyed) current.destroy()
            current.on('error', fail)
            give(null, current)
            resolve()
          },
          (error: Error) => reject(error),
        )
      })
      output.once('close', resolve)
    })

  async function fill(): Promise<void> {
    for await (const row of rows) {
      if (output.destroyed) return
      await add(row)
    }
    zip.end()
  }
  ctx.background(fill().catch((error: Error) => void fail(error)))
  return output
}

/**
 * A key as a path that unpacks below the folder it is unpacked in, on every system: no `..`, no empty segments, no
 * backslash, and none twice.
 */
export function entryName(key: string, taken: Set<string>): string {
  const segments = key
    .replaceAll('\\', '_')
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment) => (/^\.+$/.test(segment) ? segment.replaceAll('.', '_') : segment))
  const plain = segments.join('/').replace(/^([A-Za-z]):/, '$1_') || '_'
  const [, stem = plain, extension = ''] = /^(.*?[^/])(\.[^./]*)$/s.exec(plain) ?? []
  let name = plain
  for (let n = 2; taken.has(name); n++) name = `${stem} (${n})${extension}`
  taken.add(name)
  return name
}

import type { StoredObject } from '../client/index.ts'
import { UsageError } from './config.ts'
import { show } from './places.ts'
import { print, printBytes, type Run } from './run.ts'
import { changedAt } from './transfer.ts'

/** `find --csv`: the same as a table, which the service writes while it is read. */
export async function exportFound(
  { client }: Run,
  q: string,
  { bucket, at }: Pick<FindOptions, 'bucket' | 'at'>,
): Promise<void> {
  if (at !== undefined) throw new UsageError('--csv is about what is there now: leave out --at.')
  const answer = await client.exportSearch({ query: { q, format: 'csv', ...(bucket !== undefined && { bucket }) } })
  for await (const part of answer.body ?? []) await printBytes(part)
}

interface FindOptions {
  /** Without it, all buckets. */
  bucket: string | undefined
  long: boolean
  /** As the bucket was. */
  at?: string | undefined
}

/** `find`: the objects that a query finds, and a note where some could not be asked. */
export async function find(run: Run, query: string, { bucket, long, at }: FindOptions): Promise<void> {
  if (at !== undefined && bucket === undefined) throw new UsageError('--at needs --bucket.')
  const { client, progress } = run
  const unread = new Map<string, string>()
  let cursor: string | undefined
  do {
    const asked = { q: query, limit: 1000, ...(cursor !== undefined && { cursor }) }
    if (bucket === undefined) {
      const page = await client.searchEverywhere({ query: asked })
      for (const one of page.unread) unread.set(one.bucket, atLeast(one))
      for (const object of page.items) await printFound(run, object, long)
      cursor = page.next_cursor ?? undefined
    } else {
      const page = await client.searchObjects({
        params: { bucket },
        query: { ...asked, ...(at !== undefined && { at }) },
      })
      if (page.unread) unread.set(bucket, atLeast(page.unread))
      for (const object of page.items) await printFound(run, object, long)
      cursor = page.next_cursor ?? undefined
    }
  } while (cursor !== undefined)
  for (const [name, objects] of unread)
    progress.note(`${show(name, '')}: ${objects} objects were not read yet, and are found by key, size and time alone`)
}

const atLeast = ({ objects, exact }: { objects: number; exact: boolean }): string =>
  exact ? String(objects) : `${objects} or more`

async function printFound({ json }: Run, object: StoredObject, long: boolean): Promise<void> {
  if (json) return print(`${JSON.stringify(object)}\n`)
  const time = new Date(changedAt(object).time).toISOString().slice(0, 19)
  await print(`${long ? `${String(object.size).padStart(15)}  ${time}Z ` : ''}${show(object.bucket, object.key)}\n`)
}

import type { Client, ObjectChange } from '../client/index.ts'
import { prefixedPlace, printable } from './places.ts'
import { bytesText, objectsText, print, type Run } from './run.ts'

/** Most changes of one page. */
const PAGE = 1000
const SIGNS: Record<ObjectChange['change'], string> = { added: '+', changed: '~', deleted: '-' }

/** `changes`: lists what is not the same at two moments, in the order of keys, and then the totals. */
export async function changes(
  { client, json, progress }: Run,
  target: string,
  { from, to }: { from: string; to: string | undefined },
): Promise<void> {
  const { bucket, prefix } = prefixedPlace(target)
  const query = { from, limit: PAGE, ...(to === undefined ? {} : { to }), ...(prefix === '' ? {} : { prefix }) }
  const first = await client.listChanges({ params: { bucket }, query })
  for (let page = first; ; ) {
    for (const one of page.items) await print(json ? `${JSON.stringify(one)}\n` : `${lineOf(one)}\n`)
    if (page.next_cursor === null) break
    page = await client.listChanges({ params: { bucket }, query: { ...query, cursor: page.next_cursor } })
  }
  if (first.totals && !json) progress.note(totalsText(first.totals))
}

function lineOf({ key, change, before, after, moment, by }: ObjectChange): string {
  const size = (after ?? before)?.size ?? 0
  const who = by.credential ?? by.share ?? by.user ?? '-'
  return [
    SIGNS[change],
    String(size).padStart(15),
    `${moment.slice(0, 19)}Z`,
    (by.method ?? '-').padEnd(10),
    who.padEnd(36),
    printable(key),
  ].join('  ')
}

type Totals = NonNullable<Awaited<ReturnType<Client['listChanges']>>['totals']>

const totalsText = ({ added, changed, deleted }: Totals): string =>
  [
    `added: ${objectsText(added.objects)}, ${bytesText(added.bytes)}`,
    `changed: ${objectsText(changed.objects)}, ${bytesText(changed.bytes_before)} to ${bytesText(changed.bytes_after)}`,
    `deleted: ${objectsText(deleted.objects)}, ${bytesText(deleted.bytes)}`,
  ].join('; ')

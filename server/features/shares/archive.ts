import { afterPrefix } from '../../../contract/permissions.ts'
import type { Ctx } from '../../context.ts'
import { type Archive, archiveOf, namedObjects, rangedObjects } from '../../storage/objects/archive/archive.ts'
import type { ObjectRow } from '../../storage/objects/store.ts'
import { noteBucket } from '../../storage/usage/traffic.ts'
import { bucketIdOf, keysOf, nameOf, objectGone } from './listing.ts'
import { common, findLink, isOpen, type OpenLink, rangesOf, visitorOf } from './open.ts'
import { checkPassword, type Presented } from './password.ts'
import { spend } from './spend.ts'

/** What a link opens, or a part of it, as an archive. */
export interface SharedArchive {
  kind: 'archive'
  share_id: string
  bucket: string
  archive: Archive
  reader: Ctx
  /** Spends a download, before the first byte. */
  spend(): Promise<unknown>
}

/** Everything that a folder or selection opens. */
export async function openArchive(ctx: Ctx, link: OpenLink): Promise<SharedArchive> {
  const bucketId = await bucketIdOf(ctx, link)
  const { kind, target } = link.row
  const ranges = rangesOf(link, kind === 'folder' ? target : '')
  const rows =
    kind === 'folder'
      ? rangedObjects(ctx, bucketId, ranges)
      : namedObjects(
          ctx,
          bucketId,
          keysOf(link).filter((key) => isOpen(ranges, key)),
        )
  return sharedArchive(ctx, link, bucketId, rows)
}

/**
 * The files and folders that a visitor chose of a folder or selection, each once. Names as the listing has them; those of
 * folders end with a slash. What the link does not open, or no longer exists, is left out; throws `not_found` if that is
 * all of it.
 */
export async function openChosen(
  ctx: Ctx,
  token: string,
  names: readonly string[],
  presented: Presented,
): Promise<SharedArchive> {
  const link = await findLink(ctx, token)
  noteBucket(ctx, link.row.bucket)
  await checkPassword(ctx, link, presented)
  const { kind } = link.row
  if (kind !== 'folder' && kind !== 'selection') throw objectGone()
  const bucketId = await bucketIdOf(ctx, link)
  const rows = await startedOf(chosenRows(ctx, link, bucketId, chosenOf(names)))
  return sharedArchive(ctx, link, bucketId, rows)
}

function sharedArchive(ctx: Ctx, link: OpenLink, bucket_id: string, rows: AsyncIterable<ObjectRow>): SharedArchive {
  const reader = visitorOf(ctx, link)
  return {
    kind: 'archive',
    share_id: link.row.id,
    bucket: link.row.bucket,
    archive: archiveOf(reader, rows, {
      name: nameOf(link),
      bucket_id,
      below: link.row.kind === 'folder' ? link.row.target : '',
    }),
    reader,
    spend: () => spend(ctx, link, { key: null }),
  }
}

/** What was chosen, without repetitions. */
interface Chosen {
  names: ReadonlySet<string>
  /** Whether a folder above is chosen too, so that this is in the archive anyway. */
  isBelow(name: string): boolean
}

function chosenOf(given: readonly string[]): Chosen {
  const names = new Set(given)
  return {
    names,
    isBelow(name) {
      for (let end = name.indexOf('/'); end >= 0 && end < name.length - 1; end = name.indexOf('/', end + 1))
        if (names.has(name.slice(0, end + 1))) return true
      return false
    },
  }
}

async function* chosenRows(ctx: Ctx, link: OpenLink, bucketId: string, { names, isBelow }: Chosen) {
  const { kind, target } = link.row
  if (kind === 'selection') {
    const ranges = rangesOf(link, '')
    const keys = keysOf(link).filter((key) => isOpen(ranges, key) && (names.has(key) || isBelow(key)))
    return yield* namedObjects(ctx, bucketId, keys)
  }
  const ranges = rangesOf(link, target)
  const outermost = [...names].filter((name) => !isBelow(name))
  const keys = outermost.filter((name) => !name.endsWith('/')).map((name) => target + name)
  yield* namedObjects(
    ctx,
    bucketId,
    keys.filter((key) => isOpen(ranges, key)),
  )
  for (const folder of outermost.filter((name) => name.endsWith('/'))) {
    const from = target + folder
    const inside = ranges.flatMap((range) => common(range, { from, to: afterPrefix(from) }))
    yield* rangedObjects(ctx, bucketId, inside)
  }
}

/** The same rows, of which the first is there; throws `not_found` if there is none. */
async function startedOf(rows: AsyncGenerator<ObjectRow>): Promise<AsyncIterable<ObjectRow>> {
  const first = await rows.next()
  if (first.done) throw objectGone()
  return (async function* () {
    yield first.value
    yield* rows
  })()
}

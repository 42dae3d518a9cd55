import type { Job } from '../../../../contract/jobs.ts'
import { bucketQuery, type Fate } from '../../api/buckets.ts'
import { codeOf, describeProblem } from '../../api/problem.ts'
import { currentMe, queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { isFolderKey, lastSegment, legible, nameOf } from '../../keys.ts'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { noteDeed } from '../../ui/undo.ts'
import { beginJob, watched } from '../jobs/begin.ts'
import { isTaken } from '../jobs/describe.ts'
import { atOf } from '../past/at.ts'
import { allWith } from './allWith.ts'
import {
  fetchFile,
  fetchZip,
  NO_PART,
  type Part,
  refreshObjects,
  saveAs,
  summary,
  watchDeed,
  watchJob,
} from './background.tsx'
import { type ItemFault, tellFaults } from './itemFaults.tsx'
import type { Listing, Row } from './listing.ts'
import { text } from './messages.ts'
import { undelete } from './undelete.ts'

/** What an action applies to: these rows, or everything under the prefix (that matches the search) except them. */
export interface Picked {
  bucket: string
  prefix: string
  /** The moment at which it is shown; undefined: now. */
  at: string | undefined
  search: string
  all: boolean
  rows: readonly Row[]
  /** The number of rows; for a search that is not fully loaded, a lower bound. */
  count: number
  isExact: boolean
  /** More is under the prefix, or matches, than `all`: it is named by its keys. */
  isPart: boolean
}
export interface Target {
  bucket: string
  prefix: string
}
type JobBody = Parameters<typeof beginJob>[0]

/** What to do with an object whose name is taken at the destination. */
export type IfTaken = 'skip' | 'replace' | 'both'
const conditions = {
  skip: { if_none_match: '*' },
  replace: {},
  both: { keep_both: true },
} as const

/** How many keys one call takes. */
export const AT_ONCE = 1000
const MOST_KEYS = 10_000
const MOST_FOLDERS = 100

export const isFolder = ({ object }: Row): boolean => object === null
export const bytesOf = (rows: readonly Row[]): number => rows.reduce((sum, { object }) => sum + (object?.size ?? 0), 0)

/** Names the rows if there are few enough: then the action can be undone and affects nothing else. */
export async function settle(picked: Picked, listing: Listing): Promise<Picked> {
  const { all, search, isExact, isPart } = picked
  if (!all) return search === '' ? picked : named(picked, outermost(picked.rows))
  if (!isPart && (!isExact || listing.count > AT_ONCE)) return picked
  const left = new Set(picked.rows.map(({ key }) => key))
  const listed = await listing.read(0, isPart ? MOST_KEYS : listing.count - 1)
  if (listed.length > MOST_KEYS) throw new Error(text.tooManyFound(MOST_KEYS))
  if (search === '')
    return named(
      picked,
      listed.filter(({ key }) => !left.has(key)),
    )
  // What is in a folder that was found was found too.
  const folders = picked.rows.filter(isFolder)
  return named(
    picked,
    listed.filter((row) => !isFolder(row) && !left.has(row.key) && !isBelow(row, folders)),
  )
}
const named = (picked: Picked, rows: readonly Row[]): Picked => ({
  ...picked,
  all: false,
  rows,
  count: rows.length,
  isExact: true,
})
const isBelow = ({ key }: Row, folders: readonly Row[]): boolean =>
  folders.some((folder) => key !== folder.key && key.startsWith(folder.key))
/** Rows of a search without those that are in a folder among them. */
function outermost(rows: readonly Row[]): Row[] {
  const folders = rows.filter(isFolder)
  return rows.filter((row) => !isBelow(row, folders))
}

/** The jobs for what one call cannot do. Throws if it is too much even for jobs. */
export function jobsFor(
  { bucket, prefix, search, all, rows }: Picked,
  kind: 'copy' | 'move' | 'delete' | 'tag',
  to?: Target,
): JobBody[] {
  const base = { kind, source_bucket: bucket } as const
  const into = (rest: string) => (to ? { dest_bucket: to.bucket, dest_prefix: to.prefix + rest } : {})
  if (all) {
    if (rows.length >= MOST_KEYS) throw new Error(text.tooManyExcept(MOST_KEYS - 1))
    // The folder itself stays: only its contents were selected.
    const marker = isFolderKey(prefix) && search === '' ? [prefix] : []
    const exclude = [...rows.map(({ key }) => key), ...marker]
    return [
      {
        ...base,
        prefix,
        ...into(''),
        ...(search ? { query: search } : {}),
        ...(exclude.length > 0 ? { exclude } : {}),
      },
    ]
  }
  const folders = rows.filter(isFolder).map(({ key }) => key)
  const keys = rows.filter((row) => !isFolder(row)).map(({ key }) => key)
  if (folders.length > MOST_FOLDERS) throw new Error(text.tooManyFolders(MOST_FOLDERS))
  const jobs: JobBody[] = folders.map((key) => ({ ...base, prefix: key, ...into(lastSegment(key)) }))
  if (keys.length > (kind === 'tag' ? 0 : AT_ONCE))
    for (let at = 0; at < keys.length; at += MOST_KEYS)
      jobs.push({ ...base, prefix, keys: keys.slice(at, at + MOST_KEYS), ...into('') })
  return jobs
}
/** The keys that a single call handles. */
const callFor = ({ all, rows }: Picked): string[] => {
  const keys = all ? [] : rows.filter((row) => !isFolder(row)).map(({ key }) => key)
  return keys.length > AT_ONCE ? [] : keys
}
/** Starts the jobs of a deed, which did `first` at once. `words` are those for a single job. */
export async function begin(
  bodies: readonly [JobBody, ...JobBody[]],
  { first = NO_PART, words }: { first?: Part; words?: (n: number) => string } = {},
): Promise<void> {
  const place = noteDeed()
  const jobs: Job[] = []
  try {
    for (const body of bodies) {
      const job = await beginJob(body, place)
      watched.add(job.id)
      jobs.push(job)
    }
  } finally {
    const [job] = jobs
    if (job && jobs.length === 1 && first === NO_PART) void watchJob(job, words)
    else void watchDeed(first, { kind: bodies[0].kind, jobs, place })
  }
}
export const isAny = (bodies: readonly JobBody[]): bodies is [JobBody, ...JobBody[]] => bodies.length > 0

/** Deletes, with undo if the bucket keeps what is deleted. Asks first if this user cannot undo it, or if there is a lot. */
export async function remove(picked: Picked, { fate, mayUndo }: { fate: Fate; mayUndo: boolean }): Promise<boolean> {
  if (picked.count === 0 && picked.isExact) return false
  const jobs = jobsFor(picked, 'delete')
  const keys = callFor(picked)
  const isMuch = picked.all || picked.count > AT_ONCE
  const asks = fate === 'gone' || isMuch || (jobs.length > 0 && !mayUndo)
  if (asks && !(await askToDelete(picked, fate))) return false
  const first = keys.length > 0 ? await removeRows(picked.bucket, keys, mayUndo) : undefined
  if (isAny(jobs)) await begin(jobs, first && { first })
  else if (first && first.done > 0)
    notify.ok(
      first.isInTrash ? text.deleted(first.done) : text.deletedForGood(first.done),
      wayBack(first, text.restored),
    )
  await refreshObjects()
  return true
}

/** Deletes objects by one call, and says what could not be. */
async function removeRows(bucket: string, keys: string[], mayUndo: boolean): Promise<Part & { isInTrash: boolean }> {
  const { succeeded, errors, trash_ids: ids, markers } = await client.bulkDelete({ params: { bucket }, body: { keys } })
  tellFaults(errors)
  // Whoever may delete may take a marker away again; putting an object back from the trash is a write.
  const back =
    markers.length > 0
      ? async () => {
          const { done, faults } = await undelete(bucket, markers)
          tellFaults(faults)
          return done
        }
      : ids.length > 0 && mayUndo
        ? async () => (await client.restoreTrash({ params: { bucket }, body: { ids } })).items.length
        : undefined
  return { done: succeeded.length, skipped: 0, back, isInTrash: ids.length > 0 }
}

/** The undo of what one call did; `words` say how many are as before. */
const wayBack = ({ back }: Part, words: (n: number) => string): (() => void) | undefined =>
  back &&
  (() =>
    void back()
      .then((done) => {
        if (done > 0) notify.note(words(done))
        return refreshObjects()
      })
      .catch((error) => notify.problem(error)))

async function askToDelete(
  { bucket, all, rows, count, isExact, prefix, search }: Picked,
  fate: Fate,
): Promise<boolean> {
  const [only] = rows
  const folders = all ? [] : rows.filter(isFolder)
  const single = !all && rows.length === 1 && only ? legible(nameOf(only.key, prefix)) : undefined
  const objects = rows.length - folders.length
  const place = legible(`${bucket}/${prefix}`)
  const isMuch = all || folders.length > 0 || count > AT_ONCE
  const typed = !isExact ? search : single !== undefined ? nameOf(only?.key ?? '', prefix) : String(count)
  return confirm({
    title: !isExact ? text.deleteAllMatches : single !== undefined ? text.deleteOne(single) : text.deleteMany(count),
    action: text.delete,
    ...(isMuch ? { typed } : {}),
    children: (
      <div className="stack-tight">
        {all ? <p>{search ? text.deleteFound(legible(search), place) : text.deleteAllIn(place, rows.length)}</p> : null}
        {folders.length > 0 ? <p>{text.deleteFolders(folders.length)}</p> : null}
        {!all && objects > 0 ? <p>{text.deleteBytes(objects, formatBytes(bytesOf(rows)))}</p> : null}
        {all || single !== undefined ? null : (
          <ul className="browse-names">
            {rows.slice(0, 5).map(({ key }) => (
              <li key={key}>{legible(nameOf(key, prefix))}</li>
            ))}
            {rows.length > 5 ? <li className="dim">{text.andMore(rows.length - 5)}</li> : null}
          </ul>
        )}
        <p className={fate === 'gone' ? 'bad' : 'dim'}>{text.deletedTo(fate)}</p>
      </div>
    ),
  })
}

/** Copies or moves into a folder of any bucket, with undo, except of copies that may have replaced something. */
export async function transfer(picked: Picked, kind: 'copy' | 'move', to: Target, ifTaken: IfTaken): Promise<void> {
  const jobs = jobsFor(picked, kind, to).map((body) => ({ ...body, ...conditions[ifTaken] }))
  const keys = callFor(picked)
  const first = keys.length > 0 ? await transferRows({ ...picked, keys }, kind, to, ifTaken) : undefined
  if (isAny(jobs)) await begin(jobs, first && { first })
  else if (first && first.done > 0)
    notify.ok(
      summary(text.transferred(kind, first.done, legible(`${to.bucket}/${to.prefix}`)), first.skipped),
      wayBack(first, kind === 'move' ? text.movedBack : text.copiesRemoved),
    )
  else if (first && first.skipped > 0) notify.note(text.skipped(first.skipped))
  await refreshObjects()
}

/** Copies or moves objects by one call, and says what could not be. */
async function transferRows(
  { bucket, prefix, keys }: Target & { keys: string[] },
  kind: 'copy' | 'move',
  to: Target,
  ifTaken: IfTaken,
): Promise<Part> {
  const call = kind === 'copy' ? client.bulkCopy : client.bulkMove
  const result = await call({
    params: { bucket: to.bucket },
    body: {
      source_bucket: bucket,
      keys,
      source_prefix: prefix,
      dest_prefix: to.prefix,
      ...conditions[ifTaken],
    },
  })
  const { kept_both = [] } = result
  const beside = new Set(kept_both.map(({ key }) => key))
  const succeeded = result.succeeded.filter((key) => !beside.has(key))
  const { taken = [], failed = [] } = Object.groupBy(result.errors, ({ code }) => (isTaken(code) ? 'taken' : 'failed'))
  tellFaults(failed)
  const moved = async () => {
    const undone = await moveBack({ bucket, prefix }, to, { keys: succeeded, beside: kept_both })
    tellFaults(undone.faults)
    return undone.done
  }
  const done = result.succeeded.length
  const back =
    done === 0
      ? undefined
      : kind === 'move'
        ? moved
        : ifTaken === 'replace'
          ? undefined
          : await uncopy(to, result.succeeded)
  return { done, skipped: taken.length, back }
}

/** How new copies are removed again: those that are still what they were. Undefined if the user may not. */
async function uncopy({ bucket, prefix }: Target, keys: string[]): Promise<(() => Promise<number>) | undefined> {
  if (!(['delete', 'read'] as const).every((action) => currentMe().can(action, bucket, prefix))) return undefined
  const look = async () => {
    const { items } = await client.objectsExist({ params: { bucket }, body: { keys } })
    return new Map(items.map(({ key, etag, last_modified }) => [key, `${etag} ${last_modified}`]))
  }
  const made = await look()
  return async () => {
    const now = await look()
    const same = keys.filter((key) => now.get(key) === made.get(key))
    if (same.length < keys.length) notify.failure(common.notUndone, common.changedSince)
    if (same.length === 0) return 0
    const { succeeded, errors } = await client.bulkDelete({ params: { bucket }, body: { keys: same } })
    tellFaults(errors)
    return succeeded.length
  }
}

/** Moves back what was moved: under the same names, and what was put beside others. */
async function moveBack(
  { bucket, prefix }: Target,
  from: Target,
  { keys, beside }: { keys: string[]; beside: readonly { source_key: string; key: string }[] },
): Promise<{ done: number; faults: ItemFault[] }> {
  const faults: ItemFault[] = []
  let done = 0
  if (keys.length > 0) {
    const undone = await client.bulkMove({
      params: { bucket },
      body: {
        source_bucket: from.bucket,
        keys,
        source_prefix: from.prefix,
        dest_prefix: prefix,
        if_none_match: '*',
      },
    })
    done += undone.succeeded.length
    faults.push(...undone.errors)
  }
  await allWith(beside, async ({ source_key: dest_key, key: source_key }) => {
    const body = { source_bucket: from.bucket, source_key, dest_key, if_none_match: '*' as const }
    try {
      await client.moveObject({ params: { bucket }, body })
      done++
    } catch (error) {
      faults.push({ key: source_key, detail: describeProblem(error).detail })
    }
  })
  return { done, faults }
}

/** Why these cannot go there; undefined if they can. */
export function whyNot({ bucket, prefix, search, all, rows }: Picked, kind: 'copy' | 'move', to: Target) {
  if (to.bucket !== bucket) return undefined
  if (to.prefix === prefix) return text.samePlace
  const folders = all && search === '' ? [prefix] : rows.filter(isFolder).map(({ key }) => key)
  const left = all ? rows.map(({ key }) => key) : []
  const isIn = (folder: string) => to.prefix.startsWith(folder) && (folder !== '' || kind === 'move')
  return folders.some(isIn) && !left.includes(to.prefix) ? text.intoItself : undefined
}

/** Renames a folder or an object, with undo. */
export async function rename({ bucket, prefix }: Target, row: Row, name: string): Promise<void> {
  const dest = prefix + name
  if (row.object) {
    await moveOne(bucket, row.key, dest)
    notify.ok(
      text.renamed(legible(name)),
      () => void moveOne(bucket, dest, row.key).then(refreshObjects, (error) => notify.problem(error)),
    )
  } else {
    const to = { dest_prefix: `${dest}/`, if_none_match: '*' } as const
    await begin([{ kind: 'move', source_bucket: bucket, prefix: row.key, ...to }], {
      words: (n) => text.renamedFolder(legible(name), n),
    })
  }
  await refreshObjects()
}
const moveOne = (bucket: string, key: string, dest_key: string) =>
  client.moveObject({
    params: { bucket },
    body: { source_bucket: bucket, source_key: key, dest_key, if_none_match: '*' },
  })

/** The same path on the page's own origin: the console may be open under another host name than the configured one. */
export const ownUrl = (url: string): string => new URL(url).pathname

/**
 * Throws what keeps an object of an attached bucket from being read: it may be archived, or gone. Where the browser
 * itself downloads or shows an object, it would say nothing. Others are always readable.
 */
export async function assertReadable(bucket: string, key: string): Promise<void> {
  const { mode } = await queries.ensureQueryData(bucketQuery(bucket))
  if (mode === 'owned') return
  const headers = { range: 'bytes=0-0' }
  try {
    await (await client.getObjectByQuery({ params: { bucket }, query: { key }, headers })).arrayBuffer()
  } catch (error) {
    // An empty object has no first byte.
    if (codeOf(error) !== 'range_not_satisfiable') throw error
  }
}

/** Downloads an object, or a version of it, as it is. */
export async function downloadOne(bucket: string, named: { key: string; version_id?: string }): Promise<void> {
  await assertReadable(bucket, named.key)
  const body = { ...named, expires_in: '15m', download: true }
  const { url } = await client.presignObject({ params: { bucket }, body })
  saveAs(ownUrl(url))
}

/** Downloads what an object was at a moment. */
export const downloadPast = (bucket: string, { key, at }: { key: string; at: string }): Promise<void> =>
  fetchFile({ name: legible(nameOf(lastSegment(key))) || bucket, label: text.fetching }, (signal) =>
    client.getObjectByQuery({ params: { bucket }, query: { key, at, download: '1' }, signal }),
  )

/** Downloads one object as it is, and several as a zip. */
export async function download(picked: Picked): Promise<void> {
  const { bucket, prefix, search, all, rows, at } = picked
  const [only] = rows
  const params = { bucket }
  if (!all && rows.length === 1 && only?.object)
    return at === undefined ? downloadOne(bucket, { key: only.key }) : downloadPast(bucket, { key: only.key, at })
  const folder = all && rows.length === 0 && search === '' ? prefix : !all && rows.length === 1 ? only?.key : undefined
  const name = legible(nameOf(lastSegment(folder ?? prefix))) || bucket
  if (folder !== undefined)
    return fetchZip(name, (signal) =>
      client.archiveObjects({ params, query: { prefix: folder, download: '1', ...atOf(at) }, signal }),
    )
  const keys = await namesOf(picked)
  if (keys === undefined) return notify.failure(text.downloadZip, text.zipTooMany)
  return fetchZip(name, (signal) => client.archiveSelection({ params, body: { keys, ...atOf(at) }, signal }))
}

/** The keys of a selection, including its folders' contents; undefined if there are too many for a zip. */
async function namesOf({ bucket, all, rows }: Picked): Promise<string[] | undefined> {
  if (all) return undefined
  const keys = rows.filter((row) => !isFolder(row)).map(({ key }) => key)
  for (const { key: prefix } of rows.filter(isFolder)) {
    const { items, next_cursor } = await client.listObjects({
      params: { bucket },
      query: { prefix, limit: AT_ONCE },
    })
    keys.push(...items.map(({ key }) => key))
    if (next_cursor !== null) return undefined
  }
  return keys.length > AT_ONCE ? undefined : keys
}

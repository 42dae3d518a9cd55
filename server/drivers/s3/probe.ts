import type * as s3 from '@aws-sdk/client-s3'
import { checkNames, type StorageCheck } from '../../../contract/storages.ts'
import { compareIn, type KeyOrder } from '../../base/key-order.ts'
import { connect, S3Failure, type S3Options } from './client.ts'
import {
  type Engine,
  engineOf,
  failed,
  type Outcome,
  ProbeFault,
  passed,
  quoted,
  reasonOf,
  skipped,
  warning,
  watchClock,
} from './probe-engine.ts'
import { checkReadOnly, checkWrite } from './probe-write.ts'

export interface ProbeOptions {
  /** `read_only` leaves nothing behind and changes nothing, whatever the credentials permit. */
  mode: 'owned' | 'read_only'
  /** Where in the engine's bucket to look, and in `owned` mode to write; empty or ends with a slash. */
  prefix: string
  now(): Date
  /** Milliseconds for each request; default 10 s. */
  deadline?: number | undefined
}
export interface ProbedObject {
  key: string
  /** Bytes. */
  size: number
  modified_at: Date | null
}

type Outcomes = Partial<Record<StorageCheck['name'], Outcome>>
interface Listed extends ProbedObject {
  /** Without quotes; empty if there is none. */
  etag: string
  /** Whether its bytes cannot be read before they are restored. */
  archived: boolean
}
interface Page {
  objects: Listed[]
  /** Undefined on the last page. */
  next: string | undefined
}

const PAGE = 1000
const PREVIEW = 20
/** The ETag of no object here. */
const WRONG_ETAG = `"${'0'.repeat(32)}"`

/**
 * Tries what Strongroom needs of an S3 engine, in the bucket of `options` (whose prefix does not count). Never rejects
 * for what the engine does: all of it becomes checks, in the order of `checkNames`. `preview` is the first 20 objects
 * under the prefix.
 */
export async function probeS3(
  options: S3Options,
  { mode, prefix, now, deadline = 10_000 }: ProbeOptions,
): Promise<{ checks: StorageCheck[]; preview: ProbedObject[] }> {
  const client = connect(options)
  const clock = watchClock(client, now)
  const engine = engineOf(client, options.bucket, deadline)
  const report = (outcomes: Outcomes, missing: string): StorageCheck[] =>
    checkNames.map((name) => ({ name, ...(outcomes[name] ?? skipped(missing)) }))
  try {
    const reach = await failing(checkReach(engine, prefix))
    if (reach.status === 'failed')
      return { checks: report({ reach }, 'Not checked, because the storage could not be reached.'), preview: [] }
    const [{ objects, outcomes }, versioning] = await Promise.all([
      checkObjects(engine, prefix),
      checkVersioning(engine),
    ])
    // Afterwards: the other checks must not find what this one writes and deletes.
    const write = await (mode === 'owned' ? checkWrite : checkReadOnly)(engine, prefix)
    return {
      checks: report(
        { reach, ...outcomes, clock: clock(), versioning, write },
        'Not checked, because the objects could not be listed.',
      ),
      preview: objects.slice(0, PREVIEW).map(({ key, size, modified_at }) => ({ key, size, modified_at })),
    }
  } finally {
    client.destroy()
  }
}

/** A check that has failed if it throws. */
const failing = (check: Promise<Outcome>): Promise<Outcome> => check.catch((error: unknown) => failed(reasonOf(error)))

async function checkReach(engine: Engine, prefix: string): Promise<Outcome> {
  const { Name, KeyCount, MaxKeys, IsTruncated } = await engine.list(prefix, 1)
  // Any web page that is XML would do otherwise.
  if (Name === undefined && KeyCount === undefined && MaxKeys === undefined && IsTruncated === undefined)
    throw new ProbeFault('The endpoint does not answer like an S3 engine.')
  return passed('The storage answers and accepts the credentials.')
}

/** The checks that need the listing. */
async function checkObjects(engine: Engine, prefix: string): Promise<{ objects: Listed[]; outcomes: Outcomes }> {
  let page: Page
  try {
    page = await listPage(engine, prefix)
  } catch (error) {
    return { objects: [], outcomes: { list: failed(reasonOf(error)) } }
  }
  const { objects } = page
  const filled = objects.find(({ size }) => size > 0)
  const readable = objects.find(({ size, archived }) => size > 0 && !archived)
  const [order, head, read, if_match] = await Promise.all(
    [
      checkOrder(engine, prefix, page),
      checkHead(engine, filled ?? objects[0]),
      checkRead(engine, readable),
      checkIfMatch(engine, readable ?? objects[0]),
    ].map(failing),
  )
  return { objects, outcomes: { list: sayListed(page), order, head, read, if_match } }
}

function sayListed({ objects: { length }, next }: Page): Outcome {
  if (next !== undefined) return passed(`There are more than ${length} objects.`)
  return passed(length === 1 ? 'There is 1 object.' : `There are ${length || 'no'} objects.`)
}

async function listPage(engine: Engine, prefix: string, token?: string): Promise<Page> {
  const answer = await engine.list(prefix, PAGE, token)
  const objects = (answer.Contents ?? []).map((entry) => listed(entry, answer.EncodingType))
  const stray = objects.find(({ key }) => !key.startsWith(prefix))
  if (stray) throw new ProbeFault(`The listing contains ${quoted(stray.key)}, which is not under the prefix.`)
  if (answer.IsTruncated && !answer.NextContinuationToken)
    throw new ProbeFault('The listing stops before its end, and does not say how to continue.')
  return { objects, next: answer.IsTruncated ? answer.NextContinuationToken : undefined }
}

function listed({ Key = '', Size, LastModified, ETag, StorageClass }: s3._Object, encoding?: string): Listed {
  // An engine that does not know encoding-type does not repeat it.
  const key = encoding === 'url' ? decoded(Key) : Key
  if (Size === undefined || !Number.isSafeInteger(Size) || Size < 0)
    throw new ProbeFault(`The listing does not say how large ${quoted(key)} is.`)
  return {
    key,
    size: Size,
    modified_at: LastModified ?? null,
    etag: bare(ETag),
    archived: StorageClass === 'GLACIER' || StorageClass === 'DEEP_ARCHIVE',
  }
}

/** A key of a listing with encoding-type=url: S3 writes a space as `+`, Ceph as `%20`, and both a plus as `%2B`. */
function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '))
  } catch {
    throw new ProbeFault(`The listing contains a key that cannot be decoded: ${quoted(key)}.`)
  }
}

const bare = (etag = ''): string => etag.replace(/^W\/|"/g, '')

async function checkOrder(engine: Engine, prefix: string, { objects, next }: Page): Promise<Outcome> {
  if (objects.length < 2) return skipped('There are fewer than two objects to compare.')
  const following = next === undefined ? [] : await listNext(engine, prefix, next)
  const keys = [...objects, ...following].map(({ key }) => key)
  const firstOdd = (order: KeyOrder) =>
    keys.findIndex((key, at) => at > 0 && compareIn(order, keys[at - 1] as string, key) >= 0)
  const odd = firstOdd('bytes')
  if (odd < 0) return passed('The keys are listed in byte order.')
  const pair = `${quoted(keys[odd - 1] as string)} comes before ${quoted(keys[odd] as string)}`
  if (firstOdd('segments') < 0)
    return passed(
      `The keys are listed folder by folder and not in byte order: ${pair}. Scans compare them in that order.`,
    )
  return failed(`The keys are not listed in byte order, nor folder by folder: ${pair}. A scan could not trust it.`)
}

const listNext = (engine: Engine, prefix: string, token: string): Promise<Listed[]> =>
  listPage(engine, prefix, token).then(
    ({ objects }) => objects,
    (error: unknown) => {
      throw new ProbeFault(`The second page of the listing could not be read. ${reasonOf(error)}`)
    },
  )

async function checkHead(engine: Engine, object: Listed | undefined): Promise<Outcome> {
  if (!object) return skipped('There is no object to look at.')
  const { ContentLength, ETag } = await engine.head(object.key)
  if (ContentLength !== object.size)
    return failed(
      `${quoted(object.key)} has ${object.size} bytes in the listing, but ${ContentLength ?? 'no number of'} bytes by itself. If it was changed just now, test again.`,
    )
  if (!ETag || !object.etag)
    return warning('Objects have no ETags, so a change that keeps size and time will not be noticed.')
  if (bare(ETag) !== object.etag)
    return warning(
      `The ETag of ${quoted(object.key)} differs between the listing and the object, so changes may be noticed late or without need.`,
    )
  return passed('Size and ETag of an object agree with the listing.')
}

async function checkRead(engine: Engine, object: Listed | undefined): Promise<Outcome> {
  if (!object) return skipped('There is no object with bytes to read.')
  const { ContentRange, bytes } = await engine.get({ Key: object.key, Range: 'bytes=0-0' }, 1)
  if (bytes.length === 1 && ContentRange === `bytes 0-0/${object.size}`)
    return passed('The first byte of an object was read.')
  if (bytes.length > 0 && ContentRange === undefined)
    return warning('The storage ignores Range and sends whole objects, so reading a part of a large one is slow.')
  return failed(
    `Asked for the first byte of ${quoted(object.key)}, the storage sent something else. If it was changed just now, test again.`,
  )
}

async function checkIfMatch(engine: Engine, object: Listed | undefined): Promise<Outcome> {
  if (!object) return skipped('There is no object to try it with.')
  try {
    await engine.get({ Key: object.key, IfMatch: WRONG_ETAG, ...(object.size > 0 && { Range: 'bytes=0-0' }) }, 1)
  } catch (error) {
    if (error instanceof S3Failure && error.status === 412) return passed('A wrong If-Match is refused.')
    return warning(`A wrong If-Match is not refused as it should be, with status 412. ${reasonOf(error)}`)
  }
  return warning('The storage ignores If-Match, so each answer is compared with what is known instead.')
}

async function checkVersioning(engine: Engine): Promise<Outcome> {
  try {
    const { Status } = await engine.versioning()
    const state = Status === 'Enabled' ? 'enabled' : Status === 'Suspended' ? 'suspended' : 'off'
    return passed(`Versioning of the bucket is ${state}.`)
  } catch (error) {
    return skipped(`Whether the bucket keeps versions is unknown, and need not be known. ${reasonOf(error)}`)
  }
}

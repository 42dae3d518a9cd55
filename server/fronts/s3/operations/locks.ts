import { ServiceError } from '../../../../contract/errors.ts'
import { type LockMode, lockModes, type ObjectLock } from '../../../../contract/locks.ts'
import { isoTime } from '../../../base/dates.ts'
import type { Actor } from '../../../context.ts'
import type { PoliciesInForce } from '../../../iam/asker.ts'
import { permits } from '../../../iam/decide.ts'
import { ownGroups } from '../../../storage/buckets/documents/public-access.ts'
import { findBucket } from '../../../storage/buckets/store.ts'
import { type BucketChange, updateBucket } from '../../../storage/buckets/update.ts'
import {
  assertLockable,
  isAhead,
  type Locked,
  objectLockOf,
  type Retention,
  retentionOf,
  type WantedLock,
} from '../../../storage/locks/lock.ts'
import { type LockChange, lockVersion } from '../../../storage/versions/lock.ts'
import { type AnswerHeaders, answer, answerXml } from '../answers/answer.ts'
import { versionHeader } from '../answers/version-headers.ts'
import { element, result } from '../answers/xml.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { type Exchange, flag, header } from '../requests/exchange.ts'
import { child, childText, type DocumentShape, malformedXml, readDocument, type XmlNode } from '../requests/read-xml.ts'
import { versionIn } from '../requests/version-id.ts'
import { getVisible } from './existence.ts'

const MOST_BYTES = 65_536
const MODE = 'x-amz-object-lock-mode'
const UNTIL = 'x-amz-object-lock-retain-until-date'
const HOLD = 'x-amz-object-lock-legal-hold'
/** As policies count them. */
const MOST_DAYS = 36_500
const MOST_YEARS = 100

export const OBJECT_LOCK: DocumentShape = {
  root: 'ObjectLockConfiguration',
  most: MOST_BYTES,
  elements: {
    ObjectLockEnabled: 'text',
    Rule: { DefaultRetention: { Mode: 'text', Days: 'text', Years: 'text', DefaultEventHold: 'refused' } },
  },
}
export const RETENTION: DocumentShape = {
  root: 'Retention',
  most: MOST_BYTES,
  elements: { Mode: 'text', RetainUntilDate: 'text', EventHold: 'refused', EventHoldDuration: 'refused' },
}
export const LEGAL_HOLD: DocumentShape = { root: 'LegalHold', most: MOST_BYTES, elements: { Status: 'text' } }

/** The mode that a text names, in capitals; undefined if it names none. */
const modeOf = (text: string | undefined): LockMode | undefined => lockModes.find((mode) => mode.toUpperCase() === text)

/** The time that a text gives, in UTC unless it names a zone, as we write it; undefined if it gives none. */
function timeOf(text: string): string | undefined {
  const time = isoTime(text)
  return time === undefined || time.getUTCFullYear() > 9999 ? undefined : time.toISOString()
}

function retentionIn(exchange: Exchange): Retention | undefined {
  const [named, until] = [header(exchange, MODE), header(exchange, UNTIL)]
  if (named === undefined && until === undefined) return undefined
  if (named === undefined || until === undefined)
    throw invalidArgument(named === undefined ? MODE : UNTIL, '', `${UNTIL} and ${MODE} must both be supplied`)
  const mode = modeOf(named)
  if (!mode) throw invalidArgument(MODE, named, 'Unknown wormMode directive.')
  const time = timeOf(until)
  if (time === undefined)
    throw invalidArgument(UNTIL, until, 'The retain until date must be provided in ISO 8601 format')
  const retention = { mode, until: time }
  inFuture(exchange, retention)
  return retention
}

/** Throws InvalidArgument unless a lock ends in the future. */
function inFuture({ system }: Exchange, retention: Retention): void {
  if (!isAhead(retention, system.now()))
    throw invalidArgument(UNTIL, retention.until, 'The retain until date must be in the future!')
}

/** The caller without what everyone may do. */
function withoutPublic({ policies, ...actor }: Actor): Actor {
  const { open: _open, ...own } = policies ?? {}
  const groups = ownGroups(actor.groups)
  return policies ? { ...actor, groups, policies: own as PoliciesInForce } : { ...actor, groups }
}
const LOCK = { right: 'write', action: 's3:PutObjectRetention', exactly: true } as const

/** What a request wants locked of the object that it writes; undefined if nothing. */
export function lockIn(exchange: Exchange): WantedLock | undefined {
  const retention = retentionIn(exchange)
  const held = header(exchange, HOLD)
  if (held !== undefined && held !== 'ON' && held !== 'OFF')
    throw invalidArgument(HOLD, held, 'Legal Hold must be either of ON or OFF')
  if (retention === undefined && held === undefined) return undefined
  // What anyone may write, only some may keep others from removing.
  const { ctx, bucket, key } = exchange
  if (!permits(withoutPublic(ctx.actor), LOCK, bucket, key)) throw new S3Error('AccessDenied', 'Access Denied')
  return { retention, legal_hold: held === undefined ? undefined : held === 'ON' }
}

/** Whether a request asks for governance locks not to count. Throws InvalidArgument. */
export const bypassIn = (exchange: Exchange): boolean => flag(exchange, 'x-amz-bypass-governance-retention')

/** What an object says of its lock in headers. */
export function lockHeaders(row: Locked): AnswerHeaders {
  const retention = retentionOf(row)
  return {
    [MODE]: retention?.mode.toUpperCase(),
    [UNTIL]: retention?.until,
    [HOLD]: row.legal_hold === null ? undefined : 'ON',
  }
}

/** The period in a child; undefined without one. Throws MalformedXML or InvalidRetentionPeriod. */
function periodIn(node: XmlNode, name: string, most: number): number | undefined {
  const text = childText(node, name)?.trim()
  if (text === undefined) return undefined
  if (!/^-?\d{1,9}$/.test(text)) throw malformedXml()
  const value = Number(text)
  if (value < 1 || value > most)
    throw new S3Error(
      'InvalidRetentionPeriod',
      `Default retention period must be from 1 to ${most} ${name.toLowerCase()}`,
    )
  return value
}

/** How a configuration wants new versions locked. Throws MalformedXML or InvalidRetentionPeriod. */
function objectLockIn(document: XmlNode): Partial<ObjectLock> {
  if (childText(document, 'ObjectLockEnabled')?.trim() !== 'Enabled') throw malformedXml()
  const rule = child(document, 'Rule')
  if (!rule) return {}
  const retention = child(rule, 'DefaultRetention')
  const mode = retention && modeOf(childText(retention, 'Mode')?.trim())
  if (!retention || !mode) throw malformedXml()
  const days = periodIn(retention, 'Days', MOST_DAYS)
  const years = periodIn(retention, 'Years', MOST_YEARS)
  if ((days === undefined) === (years === undefined)) throw malformedXml()
  return { mode, ...(days === undefined ? {} : { days }), ...(years === undefined ? {} : { years }) }
}

/** Changes what a bucket keeps; throws InvalidBucketState where that cannot be. */
export async function changeVersioning(
  { ctx, bucket }: Exchange,
  change: Pick<BucketChange, 'versioning' | 'object_lock'>,
): Promise<void> {
  await updateBucket(ctx, bucket, change).catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === 'conflict')) throw error
    throw new S3Error('InvalidBucketState', 'The request is not valid with the current state of the bucket.')
  })
}

/** `PutObjectLockConfiguration`: turns Object Lock on, for good, and says how new versions are locked. */
export async function putObjectLockConfiguration(exchange: Exchange): Promise<void> {
  const document = await readDocument(exchange, OBJECT_LOCK)
  await changeVersioning(exchange, { object_lock: objectLockIn(document) })
  await answer(exchange, 200, {})
}

export async function objectLockDocument({ ctx, bucket }: Exchange): Promise<string> {
  const row = await findBucket(ctx.db, bucket)
  const lock = row && objectLockOf(row)
  if (!lock)
    throw new S3Error(
      'ObjectLockConfigurationNotFoundError',
      'Object Lock configuration does not exist for this bucket',
    )
  const retention = element(
    'DefaultRetention',
    element('Mode', lock.mode?.toUpperCase()),
    element('Days', lock.days ?? undefined),
    element('Years', lock.years ?? undefined),
  )
  return result(
    'ObjectLockConfiguration',
    element('ObjectLockEnabled', 'Enabled'),
    lock.mode === null ? undefined : element('Rule', retention),
  )
}

async function change(exchange: Exchange, change: LockChange): Promise<void> {
  const { ctx, bucket, key } = exchange
  await lockVersion(ctx, bucket, { key, version_id: versionIn(exchange) }, { ...change, bypass: bypassIn(exchange) })
  await answer(exchange, 200, {})
}

/** `PutObjectRetention`: an empty document ends a lock, as far as it may. */
export async function putObjectRetention(exchange: Exchange): Promise<void> {
  const document = await readDocument(exchange, RETENTION)
  const [named, until] = [childText(document, 'Mode')?.trim(), childText(document, 'RetainUntilDate')?.trim()]
  if (named === undefined && until === undefined) return change(exchange, { mode: null, until: null })
  const [mode, time] = [modeOf(named), until === undefined ? undefined : timeOf(until)]
  if (!mode || time === undefined) throw malformedXml()
  inFuture(exchange, { mode, until: time })
  await change(exchange, { mode, until: time })
}

export async function putObjectLegalHold(exchange: Exchange): Promise<void> {
  const document = await readDocument(exchange, LEGAL_HOLD)
  const status = childText(document, 'Status')?.trim()
  if (status !== 'ON' && status !== 'OFF') throw malformedXml()
  await change(exchange, { legal_hold: status === 'ON' })
}

/** A version that a request asks about, in a bucket with Object Lock. */
async function getLockable(exchange: Exchange) {
  const found = await getVisible(exchange)
  const bucket = await findBucket(exchange.ctx.db, exchange.bucket)
  if (bucket) assertLockable(bucket)
  return found
}

export async function getObjectRetention(exchange: Exchange): Promise<void> {
  const { row, versioning } = await getLockable(exchange)
  const retention = retentionOf(row)
  if (!retention)
    throw new S3Error('NoSuchObjectLockConfiguration', 'The specified object does not have a ObjectLock configuration')
  const document = result(
    'Retention',
    element('Mode', retention.mode.toUpperCase()),
    element('RetainUntilDate', retention.until),
  )
  await answerXml(exchange, document, versionHeader(versioning, row))
}

export async function getObjectLegalHold(exchange: Exchange): Promise<void> {
  const { row, versioning } = await getLockable(exchange)
  const document = result('LegalHold', element('Status', row.legal_hold === null ? 'OFF' : 'ON'))
  await answerXml(exchange, document, versionHeader(versioning, row))
}

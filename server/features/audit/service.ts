import type { Action } from '../../../contract/actions.ts'
import type { AuditRecord } from '../../../contract/audit.ts'
import { ServiceError } from '../../../contract/errors.ts'
import { badCursor, decodeCursor, pageOf } from '../../base/cursor.ts'
import { newId } from '../../base/id.ts'
import type { Actor, Ctx } from '../../context.ts'
import type { Row, Tx } from '../../db/schema.ts'
import type { ActingSession } from '../../iam/session.ts'
import { withoutCredentials } from '../../observe/log.ts'
import { splitDetails } from './details.ts'
import { hashRow } from './hashes.ts'
import { currentKey } from './keys.ts'
import * as search from './search.ts'
import { insertRecords } from './store.ts'

/**
 * Writes an action's record, or several if its details are long, in the transaction that made the change, so that
 * neither exists without the other. Returns the rows. Each carries a MAC, so that rows inserted by anyone else are
 * detected.
 */
export async function recordActions(
  tx: Tx,
  config: Ctx['config'],
  { actor, time }: { actor: Actor; time: Date },
  actions: readonly Action[],
): Promise<Row<'audit'>[]> {
  const { origin } = actor
  const key = await currentKey(tx, config, time)
  const rows = actions.flatMap((action): Row<'audit'>[] => {
    const first = {
      id: newId(),
      time: time.toISOString(),
      action: action.name,
      result: action.result ?? 'success',
      status_code: action.status_code ?? null,
      error_code: action.error_code ?? null,
      actor_user_id: actor.user_id ?? actor.session?.user_id ?? null,
      actor_email: actor.email ?? actor.session?.email ?? null,
      actor_type: actor.type,
      auth_method: actor.auth_method,
      token_id: actor.token_id,
      session_id: actor.session_id,
      actor_ip: origin.ip,
      user_agent:
        origin.user_agent === null ? null : withoutCredentials(origin.user_agent).slice(0, 512).toWellFormed(),
      request_id: origin.request_id,
      method: origin.method,
      route: origin.route,
      bucket: action.bucket ?? null,
      object_key: action.key ?? null,
      resource_type: action.resource?.type ?? null,
      resource_id: action.resource?.id ?? null,
    }
    // People type tokens into the wrong field. They are removed before a long text is split, which could cut one in
    // two.
    const via = actor.auth_method === 'access_key' || actor.session ? { via: 's3' } : {}
    const session = actor.session ? sessionDetails(actor.session) : {}
    const texts = splitDetails(withoutCredentials(JSON.stringify({ ...action.details, ...via, ...session })), first.id)
    return texts.map((details, i) => {
      const row = { ...first, id: i === 0 ? first.id : newId(), details }
      return { ...row, mac: key.mac(hashRow(row)) }
    })
  })
  await insertRecords(tx, rows)
  return rows
}

/** Which session it was, where it was one of temporary credentials. */
const sessionDetails = ({ role, name, subject }: ActingSession) => ({
  session_name: name,
  ...(role === null ? {} : { role }),
  ...(subject === null ? {} : { subject }),
})

const COUNT_LIMIT = 10_000

interface AuditPage {
  page?: number | undefined
  page_size?: number | undefined
  cursor?: string | undefined
}

/** A page of matching records, latest first, by page number or cursor. Counting stops at 10,000. */
export async function listRecords(
  ctx: Ctx,
  filter: search.Filter,
  { page = 1, page_size: pageSize = 50, cursor }: AuditPage,
) {
  const offset = cursor === undefined ? (page - 1) * pageSize : 0
  const after = positionOf(cursor)
  const counted = await search.countRecords(ctx.db, filter, COUNT_LIMIT + 1)
  const few = counted <= COUNT_LIMIT
  const found = await search.findRecords(ctx.db, filter, { after, offset, limit: pageSize + 1 }, few)
  const { page: rows, next_cursor } = pageOf(found, pageSize, ({ time, id }) => [time, id])
  const total = Math.max(Math.min(counted, COUNT_LIMIT), rows.length && offset + rows.length)
  return { items: rows.map(toRecord), total, page, page_size: pageSize, total_is_estimate: !few, next_cursor }
}

/** Returns one record; throws not_found, also if it was purged. */
export async function getRecord(ctx: Ctx, id: string): Promise<AuditRecord> {
  const row = await search.findRecord(ctx.db, id)
  if (!row) throw new ServiceError('not_found', 'There is no such record, or it was purged.')
  return toRecord(row)
}

function positionOf(cursor: string | undefined): search.Position | undefined {
  const [time, id] = decodeCursor(cursor, 2) ?? []
  if (time === undefined || id === undefined) return undefined
  // The database would fail on text that is not a time.
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) || Number.isNaN(Date.parse(time))) throw badCursor()
  return { time, id }
}

/** A record as the API returns it: without its MAC, and with its details parsed. */
export const toRecord = ({
  actor_user_id,
  actor_email,
  actor_type,
  details,
  mac: _mac,
  ...row
}: Row<'audit'>): AuditRecord => ({
  ...row,
  actor: { user_id: actor_user_id, email: actor_email, type: actor_type },
  details: JSON.parse(details),
})

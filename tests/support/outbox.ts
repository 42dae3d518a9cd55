import type { Client } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import type { Database } from '../../server/db/open.ts'

/** Queues deliveries as an action would, without one: for tests of many. Gives their ids in order. */
export async function queueDeliveries(
  database: Database,
  endpoints: readonly string[],
  count: number,
  now = new Date(),
): Promise<string[]> {
  const time = now.toISOString()
  const rows = endpoints.flatMap((webhook_id) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ id: newId(), webhook_id, audit_id: newId(), event: 'upload', body: JSON.stringify({ event: 'upload', i }) },
      ...{ status: 'queued' as const, attempts: 0, created_at: time, next_attempt_at: time },
    })),
  )
  await database.transaction(async (tx) => {
    for (let i = 0; i < rows.length; i += 1000)
      await tx
        .insertInto('webhook_deliveries')
        .values(rows.slice(i, i + 1000))
        .execute()
  })
  return rows.map(({ id }) => id)
}

/** How many deliveries there are of each status. */
export async function statuses({ db }: Database): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select((e) => ['status', e.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Registers an endpoint of no event: what it gets is queued by the test. */
export const registerFor = async (admin: Client, url: string, max_in_flight = 2): Promise<string> =>
  (await admin.createWebhook({ body: { name: 'Test', url, events: ['ping'], max_in_flight } })).id

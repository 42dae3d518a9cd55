import type { Client } from '../../client/derived.ts'
import { newId } from '../../server/base/id.ts'
import type { Database } from '../../server/db/open.ts'

/** Queues many deliveries without an action. Returns their ids in order. */
export async function queueDeliveries(
  database: Database,
  endpoints: readonly string[],
  count: number,
  now = new Date(),
): Promise<string[]> {
  const time = now.toISOString()
  const rows = endpoints.flatMap((webhook_id) =>
    Array.from({ length: count }, (_, i) => ({
      id: newId(),
      webhook_id,
      audit_id: newId(),
      event: 'upload',
      body: JSON.stringify({ event: 'upload', i }),
      status: 'queued' as const,
      attempts: 0,
      created_at: time,
      next_attempt_at: time,
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

/** The number of deliveries by status. */
export async function statuses({ db }: Database): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select((e) => ['status', e.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute()
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Registers an endpoint without events: the test queues its deliveries. */
export const registerFor = async (admin: Client, url: string, max_in_flight = 2): Promise<string> =>
  (await admin.createWebhook({ body: { name: 'Test', url, events: ['ping'], max_in_flight } })).id

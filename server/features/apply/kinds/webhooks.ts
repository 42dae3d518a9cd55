import type { Fault } from '../../../../contract/errors.ts'
import { eventNames } from '../../../../contract/events.ts'
import type { Webhook } from '../../../../contract/webhooks.ts'
import type { Ctx } from '../../../context.ts'
import { secretsAt } from '../../webhooks/secret.ts'
import {
  checkEvents,
  checkFilter,
  createWebhook,
  deleteWebhook,
  describe,
  updateWebhook,
} from '../../webhooks/service.ts'
import { type EndpointRow, findEndpointsByName, listEndpoints } from '../../webhooks/store.ts'
import { checkTarget } from '../../webhooks/target.ts'
import { type EntryOf, type Existing, faultsOf, type Kind, required } from '../kind.ts'
import { ambiguous } from './ambiguity.ts'

type Entry = EntryOf<'webhooks'>

/** More than there can be. */
const ALL = 1000

export const webhooks: Kind<Entry> = {
  kind: 'webhooks',
  named: 'name',
  sameName: (name) => name,
  fixed: {},
  defaults: { bucket: null, prefix: null, format: 'strongroom', max_in_flight: 2, enabled: true },
  normal: ({ events, ...entry }) => ({ ...entry, ...(events && { events: asListed(events) }) }),
  async check(ctx, entry, { before }): Promise<Fault[]> {
    const { url, events, bucket, prefix } = { ...before?.fields, ...entry }
    return [
      ...(before ? [] : required(entry, 'url', 'events')),
      ...(await faultsOf(() => checkEvents(events ?? []))),
      ...(await faultsOf(() => checkFilter(bucket ?? null, prefix ?? null))),
      ...(url === undefined || url === before?.fields.url ? [] : await faultsOf(() => checkTarget(ctx.config, url))),
    ]
  },
  async find(ctx, name) {
    const rows = await findEndpointsByName(ctx.db, name)
    return ambiguous(rows.map((row) => existing(ctx, row)))
  },
  async *list(ctx) {
    for (const row of (await listEndpoints(ctx.db, undefined, ALL)).reverse()) yield existing(ctx, row)
  },
  create: (ctx, { url = '', events = [], ...entry }) => createWebhook(ctx, { ...entry, url, events }),
}

/** Events as the catalogue orders them. */
function asListed(names: readonly string[]): string[] {
  const place = (name: string) => (eventNames as readonly string[]).indexOf(name)
  return [...names].sort((a, b) => place(a) - place(b))
}

const existing = (ctx: Ctx, row: EndpointRow): Existing<Entry> => {
  const { id, name, url, events, bucket, prefix, format, max_in_flight, enabled }: Webhook = describe(ctx, row)
  return {
    name,
    fields: { name, url, events: asListed(events), bucket, prefix, format, max_in_flight, enabled },
    hasSecret: (_field, value) => secretsAt(ctx.config, row, ctx.now()).current === value,
    effects: ({ enabled, secret }) => [
      ...(enabled === false ? ['No events are queued for it, and what is queued waits, for at most seven days.'] : []),
      ...(secret === undefined ? [] : ['Deliveries are signed with the new secret only.']),
    ],
    update: (change) => updateWebhook(ctx, id, change),
    removal: async () => ({
      effects: ['Its queue and its log are deleted too.'],
      remove: () => deleteWebhook(ctx, id),
    }),
  }
}

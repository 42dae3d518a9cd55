import { api } from '../../../../contract/index.ts'
import * as deliveries from '../../../features/webhooks/deliveries.ts'
import * as rotate from '../../../features/webhooks/rotate.ts'
import * as service from '../../../features/webhooks/service.ts'
import { handle } from '../handle.ts'

export const webhookRoutes = [
  handle(api.createWebhook, (ctx, { body, reply }) => {
    reply.header('cache-control', 'no-store')
    return service.createWebhook(ctx, body)
  }),
  handle(api.listWebhooks, (ctx, { query }) => service.listWebhooks(ctx, query.limit ?? 100, query.cursor)),
  handle(api.listEvents, () => service.listEvents()),
  handle(api.getWebhook, (ctx, { params }) => service.getWebhook(ctx, params.id)),
  handle(api.updateWebhook, (ctx, { params, body }) => service.updateWebhook(ctx, params.id, body)),
  handle(api.deleteWebhook, (ctx, { params }) => service.deleteWebhook(ctx, params.id)),
  handle(api.rotateWebhookSecret, (ctx, { params, body, reply }) => {
    reply.header('cache-control', 'no-store')
    return rotate.rotateSecret(ctx, params.id, body.grace_seconds ?? 86_400)
  }),
  handle(api.promoteWebhookSecret, (ctx, { params }) => rotate.promoteSecret(ctx, params.id)),
  handle(api.testWebhook, (ctx, { params }) => deliveries.testWebhook(ctx, params.id)),
  handle(api.recoverWebhook, (ctx, { params, body }) =>
    deliveries.recoverDeliveries(ctx, params.id, body.since, body.until),
  ),
  handle(api.listDeliveries, (ctx, { params, query }) =>
    deliveries.listDeliveries(
      ctx,
      { endpointId: params.id, status: query.status, event: query.event },
      query.page ?? 1,
      query.page_size ?? 50,
    ),
  ),
  handle(api.getDelivery, (ctx, { params }) => deliveries.getDelivery(ctx, params.id, params.delivery_id)),
  handle(api.resendDelivery, (ctx, { params }) => deliveries.resendDelivery(ctx, params.id, params.delivery_id)),
]

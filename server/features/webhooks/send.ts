import { version } from '../../base/version.ts'
import type { Ctx } from '../../context.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import type { FailureClass } from '../../outbound/failure.ts'
import type { Answer, Poster } from '../../outbound/post.ts'
import type { Claimed } from './queue.ts'
import { deliveryHeaders, secretsAt } from './secret.ts'

/** The outcome of one attempt. */
export interface Outcome {
  delivery: Claimed
  startedAt: Date
  endedAt: Date
  headers: Record<string, string>
  answer: Answer | null
  failure: { kind: FailureClass | 'http_status' | 'secret'; text: string } | null
}

/** Makes the attempt for a claimed delivery. Never rejects. */
export async function attempt(ctx: Ctx, poster: Poster, delivery: Claimed): Promise<Outcome> {
  const startedAt = ctx.now()
  const { id, event, body, endpoint, attempts } = delivery
  let headers: Record<string, string>
  try {
    const secrets = secretsAt(ctx.config, endpoint, startedAt)
    headers = {
      ...deliveryHeaders({ id, event, body, attempt: attempts + 1 }, secrets, startedAt),
      'User-Agent': `Strongroom/${version}`,
    }
  } catch (error) {
    ctx.log.error({ err: error, endpoint: endpoint.id }, "a webhook endpoint's secret cannot be decrypted")
    const failure = { kind: 'secret' as const, text: "the endpoint's secret cannot be decrypted; rotate it" }
    return { delivery, startedAt, endedAt: ctx.now(), headers: {}, answer: null, failure }
  }
  const { metrics, traces } = telemetryOf(ctx.config)
  const span = traces?.begin('webhook attempt', 'delivery')
  const answer = await poster.post(new URL(endpoint.url), headers, body)
  const { failure } = answer
  metrics.strongroom_webhook_attempt_seconds.observe(answer.durationMs / 1000)
  span?.end({
    failed: failure !== null,
    attributes: {
      'strongroom.webhook.event': event,
      'strongroom.webhook.endpoint': endpoint.id,
      'strongroom.webhook.delivery': id,
      'strongroom.webhook.attempt': attempts + 1,
      'strongroom.webhook.outcome': failure?.kind ?? 'acknowledged',
      ...(answer.status === null ? {} : { 'http.response.status_code': answer.status }),
    },
  })
  if (failure?.kind === 'blocked')
    ctx.log.warn(
      { delivery: id, endpoint: endpoint.id, address: failure.detail },
      'a receiver resolved to an address that is not allowed',
    )
  return { delivery, startedAt, endedAt: ctx.now(), headers, answer, failure }
}

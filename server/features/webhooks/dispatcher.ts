import { setImmediate } from 'node:timers/promises'
import { newId } from '../../base/id.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import { routeOf } from '../../outbound/guarded.ts'
import { createPoster } from '../../outbound/post.ts'
import { disableEndpoint } from './disable.ts'
import { noteInterrupted, recordOutcomes, type Verdict } from './outcomes.ts'
import { type Claimed, claimDeliveries, isAnythingDue } from './queue.ts'
import { onQueued } from './queue-signal.ts'
import { attempt, type Outcome } from './send.ts'

/** How much longer than an attempt its lease lasts, to leave time to store the outcome. */
const LEASE_MARGIN_MS = 20_000
/** Pause after a failed turn, most likely because the database does not answer. */
const PAUSE_MS = 1000

/** The part of a process that sends deliveries. */
interface Dispatcher {
  /** Checks the queue now, and continues until nothing is in flight or due. */
  wake(): void
  /** Closes its connections to receivers. */
  close(): void
}
const dispatcherOf = perSystem(
  (_config, ctx: Ctx) => createDispatcher(ctx),
  (dispatcher) => dispatcher.close(),
)

/**
 * Sends due deliveries. What this process queues is picked up at once; the timer covers retries and what another
 * process queued.
 */
export const webhookDispatcher = {
  name: 'webhook-dispatcher',
  every: 500,
  async run(ctx: Ctx): Promise<void> {
    if (ctx.config.webhooksEnabled && (await isAnythingDue(ctx.db, ctx.now()))) dispatcherOf(ctx.config, ctx).wake()
  },
  listen: (ctx: Ctx): (() => void) =>
    onQueued(ctx.config, () => ctx.config.webhooksEnabled && dispatcherOf(ctx.config, ctx).wake()),
}

function createDispatcher(ctx: Ctx): Dispatcher {
  const { webhooks } = ctx.config
  const poster = createPoster(routeOf(ctx.config), webhooks.timeoutMs)
  const attemptsEnded = telemetryOf(ctx.config).metrics.strongroom_webhook_attempts_total
  let inFlight = 0
  let ended: Outcome[] = []
  let running = false
  let woken = false
  let wakeUp: () => void = () => undefined

  function send(delivery: Claimed): void {
    inFlight++
    void attempt(ctx, poster, delivery).then((outcome) => {
      inFlight--
      attemptsEnded.inc({ outcome: outcome.failure?.kind ?? 'acknowledged' })
      ended.push(outcome)
      wake()
    })
  }

  /** Stores finished outcomes and claims as many deliveries as there is room for, in one transaction. */
  async function turn(): Promise<void> {
    const outcomes = ended
    ended = []
    const slots = ctx.stopping.aborted ? 0 : webhooks.concurrency - inFlight
    if (slots <= 0 && outcomes.length === 0) return
    const now = ctx.now()
    const until = new Date(now.getTime() + webhooks.timeoutMs + LEASE_MARGIN_MS)
    let done: { verdicts: Verdict[]; claimed: Claimed[] }
    try {
      done = await ctx.upkeep(
        async ({ tx }) => {
          const verdicts = outcomes.length === 0 ? [] : await recordOutcomes(tx, ctx.config, outcomes)
          // Endpoints are disabled first, so that nothing more is sent to them.
          if (slots <= 0 || verdicts.length > 0) return { verdicts, claimed: [] }
          const claim = await claimDeliveries(tx, { slots, now, until, token: newId() })
          const claimed =
            claim.interrupted.length === 0 ? claim.deliveries : await noteInterrupted(tx, ctx.config, claim, now)
          return { verdicts, claimed }
        },
        // If a power failure loses an outcome, the attempt is simply repeated.
        { relaxed: true },
      )
    } catch (error) {
      ended = [...outcomes, ...ended]
      throw error
    }
    for (const delivery of done.claimed) send(delivery)
    for (const verdict of done.verdicts) await disableEndpoint(ctx, verdict)
    if (done.verdicts.length > 0) woken = true
  }

  async function drain(): Promise<void> {
    for (;;) {
      // Handles what arrives together in one turn: on SQLite, consecutive turns leave no time for responses.
      await setImmediate()
      woken = false
      let failed = false
      try {
        await turn()
      } catch (error) {
        ctx.log.error({ err: error }, 'could not claim or record webhook deliveries')
        if (ctx.stopping.aborted) return
        failed = true
      }
      if (woken && !failed) continue
      if (inFlight === 0 && ended.length === 0) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = failed ? setTimeout(resolve, PAUSE_MS) : undefined
      if (!failed) wakeUp = resolve
      await promise
      clearTimeout(timer)
    }
  }

  function wake(): void {
    woken = true
    wakeUp()
    if (running || ctx.stopping.aborted) return
    running = true
    ctx.background(
      drain().finally(() => {
        running = false
        if (woken) wake()
      }),
    )
  }

  return { wake, close: () => poster.close() }
}

import { setImmediate } from 'node:timers/promises'
import { newId } from '../../base/id.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'
import { telemetryOf } from '../../observe/telemetry.ts'
import { createPoster } from '../../outbound/post.ts'
import { disableEndpoint } from './disable.ts'
import { noteInterrupted, recordOutcomes, type Verdict } from './outcomes.ts'
import { type Claimed, claimDeliveries, isAnythingDue } from './queue.ts'
import { onQueued } from './queue-signal.ts'
import { attempt, type Outcome } from './send.ts'
import { routeOf } from './target.ts'

/** Beyond the time an attempt may take, until its lease ends: for writing down its outcome. */
const LEASE_MARGIN_MS = 20_000
/** After a turn that failed: the database does not answer, most likely. */
const PAUSE_MS = 1000

/** The part of a process that sends deliveries. */
interface Dispatcher {
  /** Looks at the queue now, and goes on until nothing is in flight and nothing due. */
  wake(): void
  /** Ends the connections it keeps to receivers. */
  close(): void
}
const dispatcherOf = perSystem(
  (_config, ctx: Ctx) => createDispatcher(ctx),
  (dispatcher) => dispatcher.close(),
)

/**
 * Sends what is due. The timer is the safety net for what another process queued and for retries; what this one queues
 * it looks at at once (W22).
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

  /** Writes down what has ended and claims as much as there is room for, in one transaction. */
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
          // First the endpoints to disable, so that nothing more is sent to them (W25).
          if (slots <= 0 || verdicts.length > 0) return { verdicts, claimed: [] }
          const claim = await claimDeliveries(tx, { slots, now, until, token: newId() })
          const claimed =
            claim.interrupted.length === 0 ? claim.deliveries : await noteInterrupted(tx, ctx.config, claim, now)
          return { verdicts, claimed }
        },
        // What a power failure takes back is an outcome that is then found out once more.
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
      // What arrives at the same time is dealt with in one turn: on SQLite a turn leaves no gap for answers.
      await setImmediate()
      woken = false
      let failed = false
      try {
        await turn()
      } catch (error) {
        ctx.log.error({ err: error }, 'webhook deliveries cannot be taken or written down')
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

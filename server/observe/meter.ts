import { AsyncLocalStorage } from 'node:async_hooks'

/** Values that say what a span is about: names of operations and numbers, never what a user wrote. */
export type Attributes = Readonly<{ [name: string]: string | number }>

/** A request, a run of a worker or a delivery as traces show it. */
export interface Span {
  traceId: string
  /** Adds a step that began at `began` (as `performance.now()` counts) and ends now; `error` where it failed. */
  step(name: string, began: number, attributes: Attributes, error?: unknown): void
  /** Ends it; `name` replaces what it was begun with. Steps may still follow. */
  end(outcome: { name?: string; attributes?: Attributes; failed?: boolean }): void
}

/** What one request, or one run of a worker, has cost so far. Times in milliseconds; those side by side are added up. */
export interface Meter {
  /** Null for work that no request asked for. */
  requestId: string | null
  began: number
  /** When the answer began; 0 before. */
  answered: number
  /** For a connection, for statements, and until the transaction is durable. */
  databaseMs: number
  statements: number
  /** In the storage, without what the client took to send. */
  storageMs: number
  /** Until the client sent what its request consists of. */
  clientMs: number
  /** Since when a body is read that the handler waits for; 0 where there is none. */
  receivingFrom: number
  span: Span | undefined
}

export const newMeter = (requestId: string | null, span: Span | undefined): Meter => ({
  requestId,
  span,
  began: performance.now(),
  answered: 0,
  databaseMs: 0,
  statements: 0,
  storageMs: 0,
  clientMs: 0,
  receivingFrom: 0,
})

const meters = new AsyncLocalStorage<Meter | undefined>()

/** What the work that calls this is measured by; undefined outside of requests and workers. */
export const currentMeter = (): Meter | undefined => meters.getStore()

/** Whether the caller serves a request whose answer has not begun. */
export function isBeforeAnswer(): boolean {
  const meter = meters.getStore()
  return meter !== undefined && meter.requestId !== null && meter.answered === 0
}

/** Does work whose cost counts for `meter`, whatever it waits for. */
export const measured = <T>(meter: Meter | undefined, work: () => T): T => meters.run(meter, work)

/** Does work that counts for nobody, like what a request only woke. */
export const detached = <T>(work: () => T): T => meters.run(undefined, work)

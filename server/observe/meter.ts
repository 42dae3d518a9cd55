import { AsyncLocalStorage } from 'node:async_hooks'

/** What a span is about: names of operations and numbers, never user data. */
export type Attributes = Readonly<{ [name: string]: string | number }>

/** A request, a worker's run or a delivery, as shown in traces. */
export interface Span {
  traceId: string
  /** Adds a step that started at `began` (in `performance.now()` time) and ends now; with `error` if it failed. */
  step(name: string, began: number, attributes: Attributes, error?: unknown): void
  /** Ends the span; `name` replaces its initial name. Steps may still follow. */
  end(outcome: { name?: string; attributes?: Attributes; failed?: boolean }): void
}

/** What one request, or one worker run, has cost so far. Times in milliseconds; concurrent ones add up. */
export interface Meter {
  /** Null for work that no request triggered. */
  requestId: string | null
  began: number
  /** When the response started; 0 before. */
  answered: number
  /** Waiting for a connection, for statements, and for the transaction to be durable. */
  databaseMs: number
  statements: number
  /** In storage, not counting the time the client took to send. */
  storageMs: number
  /** Waiting for the client to send its request. */
  clientMs: number
  /** When reading a body that the handler waits for started; 0 if there is none. */
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

/** The meter of the calling work; undefined outside of requests and workers. */
export const currentMeter = (): Meter | undefined => meters.getStore()

/** Whether the caller serves a request whose response has not started. */
export function isBeforeAnswer(): boolean {
  const meter = meters.getStore()
  return meter !== undefined && meter.requestId !== null && meter.answered === 0
}

/** Runs work whose cost counts towards `meter`, across all its awaits. */
export const measured = <T>(meter: Meter | undefined, work: () => T): T => meters.run(meter, work)

/** Runs work that counts towards no meter, such as work that a request only triggered. */
export const detached = <T>(work: () => T): T => meters.run(undefined, work)

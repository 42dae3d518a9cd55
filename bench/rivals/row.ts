import { randomBytes } from 'node:crypto'
import type { Connection, Request } from './connection.ts'
import { type Body, bodyOf, signed, type Target } from './requests.ts'

export const BUCKET = 'bench'
/** The bucket whose keys are listed, and nothing else is done. */
export const MANY = 'many'

/** What one of several clients is to do with one server. */
export interface Job {
  target: Target
  row: string
  /** Makes the keys of a turn its own. */
  turn: string
  seconds: number
  /** This client's number, and the number of clients. */
  n: number
  of: number
  /** Keys of the bucket that is listed, a multiple of 1,000; keys that a turn of DELETE has to delete. */
  keys: number
  deletes: number
}

/** What is measured. */
export interface Row {
  name: string
  unit: 'requests' | 'objects' | 'bytes'
  /** Of all clients together. */
  connections: number
  /** Puts what the turns of the row only read; once for each server. */
  fill?(job: Job, each: Each): Promise<void>
  /** Signs what can be signed beforehand, and puts what the turn deletes; every turn. */
  begin(job: Job, each: Each): Operation | Promise<Operation>
}
/** Sends requests over as many connections as the row has. */
export type Each = (requests: Iterable<Request>) => Promise<void>
export interface Operation {
  /** Does the `i`-th operation and gives how much of the row's unit that was; undefined when there is nothing left to do. */
  one(connection: Connection, i: number): Promise<number> | undefined
  /** Deletes what would fill the disk. Not measured. */
  end?(done: number): Iterable<Request>
}

const made = new Map<number, Body>()
/** A body that no server can compress. */
export function random(size: number): Body {
  const body = made.get(size) ?? bodyOf(randomBytes(size))
  made.set(size, body)
  return body
}

/** Requests of a series, of which the first ones are made beforehand. */
export function ahead(count: number, make: (i: number) => Request): (i: number) => Request {
  const ready = Array.from({ length: count }, (_, i) => make(i))
  return (i) => ready[i] ?? make(i)
}
/** Requests that are sent again and again. */
export function circle(requests: readonly Request[]): (i: number) => Request {
  return (i) => requests[i % requests.length] as Request
}

/** This client's share of some things. */
export function* shareOf<T>({ n, of }: Job, all: Iterable<T>): Generator<T> {
  let i = 0
  for (const one of all) if (i++ % of === n) yield one
}
/** The path of a key that only this client has in this turn, and of the first ones. */
export const ownKey = ({ turn, n }: Job, i: number): string => `${BUCKET}/${turn}-${n}/${i}`
export const ownKeys = (job: Job, length: number): string[] => Array.from({ length }, (_, i) => ownKey(job, i))

export const putAll = ({ target }: Job, paths: Iterable<string>, body: Body): Iterable<Request> =>
  (function* () {
    for (const path of paths) yield signed(target, 'PUT', path, { body })
  })()
export const deleteAll = ({ target }: Job, paths: Iterable<string>): Iterable<Request> =>
  (function* () {
    for (const path of paths) yield signed(target, 'DELETE', path)
  })()

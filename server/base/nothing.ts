/** The result of a change that had nothing to do. */
export class Nothing<T> {
  readonly #result: T
  constructor(result: T) {
    this.#result = result
  }
  unwrap(): T {
    return this.#result
  }
}
/** A change's result with `Nothing` unwrapped. */
export type Done<T> = T extends Nothing<infer R> ? R : T

/** Thrown to roll back a change that had nothing to do. */
export class RolledBack extends Error {
  readonly result: unknown
  constructor(nothing: Nothing<unknown>) {
    super('There was nothing to do')
    this.result = nothing.unwrap()
  }
}

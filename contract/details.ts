/**
 * One record of a change whose details are too long for a single record, and its place among the change's records.
 * Short fields are in every record, everything else in exactly one.
 */
export interface Part {
  /** The id of the change's first record. */
  id: string
  /** Starts at 1. */
  number: number
  of: number
  /** Path to the text or list element at the end of this part that continues in the next one. */
  continues?: readonly string[]
}
export type PartialDetails = { [field: string]: unknown } & { part: Part }

/** Joins a change's parts, in order, into its whole details: lists and split texts are put together again. */
export function joinDetails(parts: readonly PartialDetails[]): { [field: string]: unknown } {
  let whole: unknown = {}
  let open: readonly string[] | undefined
  for (const { part, ...details } of parts) {
    whole = join(whole, details, open)
    open = part.continues
  }
  return whole as { [field: string]: unknown }
}

/** `open` is the path from here to the value that continues in `more`. */
function join(start: unknown, more: unknown, open: readonly string[] | undefined): unknown {
  if (Array.isArray(start) && Array.isArray(more)) {
    if (!open?.length) return [...start, ...more]
    return [...start.slice(0, -1), join(start.at(-1), more[0], open.slice(1)), ...more.slice(1)]
  }
  if (isObject(start) && isObject(more)) {
    const joined = new Map(Object.entries(start))
    for (const [name, value] of Object.entries(more))
      joined.set(
        name,
        joined.has(name) ? join(joined.get(name), value, open?.[0] === name ? open.slice(1) : undefined) : value,
      )
    return Object.fromEntries(joined)
  }
  return typeof start === 'string' && open?.length === 0 ? start + more : more
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

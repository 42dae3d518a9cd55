/**
 * Of one record of a change whose details are too long for one: which of the change's records this is. Short fields
 * are in every one of them, everything else in exactly one.
 */
export interface Part {
  /** The id of the change's first record. */
  id: string
  /** From 1. */
  number: number
  of: number
  /** The path to the text or list element at the end of this part that goes on in the next one. */
  continues?: readonly string[]
}
export type PartialDetails = { [field: string]: unknown } & { part: Part }

/** The whole details of a change from all its parts, in their order: lists and cut texts are put together again. */
export function joinDetails(parts: readonly PartialDetails[]): { [field: string]: unknown } {
  let whole: unknown = {}
  let open: readonly string[] | undefined
  for (const { part, ...details } of parts) {
    whole = join(whole, details, open)
    open = part.continues
  }
  return whole as { [field: string]: unknown }
}

/** `open` leads from here to what goes on in `more`. */
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

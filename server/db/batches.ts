/** Rows of the largest batch. */
const MOST = 256

/**
 * Splits rows into batches of which there are few sizes, powers of two. SQLite's statements are kept prepared by their
 * text, and one that inserts 1,000 rows of 20 columns takes 3 MB: as many texts as there are counts of rows would take
 * hundreds.
 */
export function* inBatches<T>(rows: readonly T[]): Generator<T[]> {
  for (let at = 0; at < rows.length; ) {
    let size = MOST
    while (size > rows.length - at) size >>= 1
    yield rows.slice(at, at + size)
    at += size
  }
}

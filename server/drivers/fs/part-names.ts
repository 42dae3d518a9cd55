import fs from 'node:fs'

const MOST_PARTS = 10_000
export const HANDLE = 'files'
export const PART = /^(\d{1,5})-(\d+)-([0-9a-f]{8})$/
/** States in a part's file name: arrived, or taken by completeParts. */
export const ARRIVED = 1
export const TAKEN = 0

/** Throws on what did not come from `begin` and `put`: no handle or name chosen by a user becomes a path. */
export function assertParts(handle: string, parts: readonly { number: number; size: number; ref?: string }[]): void {
  if (handle !== HANDLE) throw new Error('Invalid upload handle')
  let last = 0
  for (const { number, size, ref } of parts) {
    if (!Number.isInteger(number) || number <= last || number > MOST_PARTS) throw new RangeError('Invalid part number')
    if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('Invalid part size')
    if (ref !== undefined && numberOf(ref) !== number) throw new Error('Invalid part reference')
    last = number
  }
}

/** 0 if the name is not a part's. */
export const numberOf = (name: string): number => Number(PART.exec(name)?.[1] ?? 0)
/** The part's name in this state; unchanged unless it is in state `from`, if given. */
export const named = (name: string, state: number, from?: number): string => {
  const [, number, was, nonce] = PART.exec(name) ?? []
  return from === undefined || Number(was) === from ? `${number}-${state}-${nonce}` : name
}

/** Whether a file cannot get a second name here, or not one more. */
export const hasNoLinks = (error: unknown): boolean =>
  ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'].includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * Gives a file a second name that must be free, if the file system supports links (NFS does too); otherwise renames it,
 * and then two processes that complete one upload with different parts at the same moment are not kept apart.
 */
export async function linkOrRename(from: string, to: string): Promise<void> {
  try {
    await fs.promises.link(from, to)
  } catch (error) {
    if (!hasNoLinks(error)) throw error
    await fs.promises.rename(from, to)
  }
}

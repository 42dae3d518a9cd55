/** The way to a value in a document: names of fields and places in lists. */
export type DocumentPath = readonly (string | number)[]

/** A policy that is not one: the S3 endpoint answers `MalformedPolicy`, IAM `MalformedPolicyDocument`, both with this text. */
export class MalformedPolicy extends Error {
  /** What of the document it is about; empty for all of it. */
  path: DocumentPath = []
  /** The text that it is about, where only that is known. */
  value: string | undefined
}

export const malformed = (message: string): MalformedPolicy => new MalformedPolicy(message)

/** Reads what is at a place of a document: what is wrong there says where it is. */
export function within<T>(place: string | number, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedPolicy) error.path = [place, ...error.path]
    throw error
  }
}

/** The same for a value that is one or a list of them. */
export const eachWithin = <V, T>(name: string, value: V | readonly V[], read: (one: V, index: number) => T): T[] =>
  within(name, () =>
    Array.isArray(value) ? value.map((one, index) => within(index, () => read(one, index))) : [read(value as V, 0)],
  )

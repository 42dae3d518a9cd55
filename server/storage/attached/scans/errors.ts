/** The bucket of a scan was released meanwhile. */
export class ScanEnded extends Error {}

/** An engine does not give an object away, so that its bucket cannot be taken over. */
export class Unreadable extends Error {
  constructor(key: string, cause: unknown) {
    super(
      `The engine does not give “${key}” away; it may be encrypted with a key that its owner did not leave there.`,
      {
        cause,
      },
    )
  }
}

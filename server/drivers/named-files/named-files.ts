/**
 * Small files with names of our choice, in a folder or under a prefix of a bucket. Names have segments of letters, digits,
 * dots and dashes between slashes.
 */
export interface NamedFiles {
  /** Stores a file durably, complete or not at all, in the place of one of the same name. */
  put(name: string, bytes: Buffer): Promise<void>
  /**
   * Stores a file durably unless there is one of that name: of several that do so at once, one succeeds. Resolves to whether
   * this one is what is there.
   */
  create(name: string, bytes: Buffer): Promise<boolean>
  /** Undefined if there is none. */
  get(name: string): Promise<Buffer | undefined>
  /** Files whose names begin with `prefix`, which is empty or ends with a slash, in the order of their names. */
  list(prefix: string): Promise<NamedFile[]>
  /** The names of the folders directly in one, in their order: `chains/` has `chains/a/` where there is a `chains/a/b`. */
  folders(within: string): Promise<string[]>
  /** No error if there is none. */
  remove(name: string): Promise<void>
  close(): void
}
export interface NamedFile {
  name: string
  /** Bytes. */
  size: number
}

import { createHash } from 'node:crypto'

/** A user's id in documents of S3: the same for as long as the user exists, and telling nothing else. */
export const canonicalId = (userId: string | null): string =>
  createHash('sha256')
    .update(`strongroom:${userId ?? ''}`)
    .digest('hex')

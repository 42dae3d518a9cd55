import { createHash } from 'node:crypto'
import { element } from './xml.ts'

/** A user's id in documents of S3: the same for as long as the user exists, and telling nothing else. */
export const canonicalId = (userId: string | null): string =>
  createHash('sha256')
    .update(`strongroom:${userId ?? ''}`)
    .digest('hex')

export const ownerElement = (userId: string | null) => element('Owner', element('ID', canonicalId(userId)))

import type { ObjectRow } from '../../db/schema.ts'
import type { Described } from '../../drivers/external.ts'

/** What an object is besides its bytes, as an engine is told it. */
export const describedOf = ({
  content_type,
  headers,
  metadata,
  tags,
}: Pick<ObjectRow, 'content_type' | 'headers' | 'metadata' | 'tags'>): Omit<Described, 'size'> => ({
  content_type,
  headers: JSON.parse(headers ?? '{}') as { [name: string]: string },
  metadata: JSON.parse(metadata) as { [name: string]: string },
  tags: JSON.parse(tags ?? '{}') as { [name: string]: string },
})

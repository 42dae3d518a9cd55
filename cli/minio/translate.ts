import { bucketsOf } from './buckets.ts'
import { type Choices as IdentityChoices, identitiesOf } from './identities.ts'
import { shortList } from './policies.ts'
import type { MinioExport } from './read.ts'
import type { Item } from './table.ts'

/** A configuration for `strongroom apply`, with its secrets, and what became of each item. */
export interface Imported {
  configuration: { [kind: string]: { [field: string]: unknown }[] }
  items: Item[]
}

interface Choices extends IdentityChoices {
  /** Buckets that are not imported. */
  leftOut: ReadonlySet<string>
}

/** Translates exports of MinIO. Nobody can do more with the result than MinIO lets them, except as `choices` say. */
export function translateExport({ iam, buckets, others }: MinioExport, choices: Choices): Imported {
  const { items: ofIdentities, ...identities } = identitiesOf(iam, choices)
  const { items: ofBuckets, buckets: entries } = bucketsOf(buckets, choices.leftOut)
  const lists = Object.entries({ ...identities, buckets: entries }).filter(([, list]) => list.length > 0)
  return {
    configuration: Object.fromEntries(lists) as unknown as Imported['configuration'],
    items: [...ofIdentities, ...ofBuckets, ...(others.length > 0 ? [unknownFiles(others)] : [])],
  }
}

const unknownFiles = (names: readonly string[]): Item => ({
  kind: 'file',
  name: shortList(names, 3),
  verdict: 'not',
  notes: ['MinIO exports no files with such names.'],
})

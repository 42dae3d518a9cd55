import { bucketsOf } from './buckets.ts'
import { type Choices as IdentityChoices, identitiesOf } from './identities.ts'
import type { MinioExport } from './read.ts'
import { type Item, shortList } from './table.ts'

/** A configuration for `strongroom apply`, with its secrets, and what became of each item. */
export interface Imported {
  configuration: { [kind: string]: { [field: string]: unknown }[] }
  /** Settings of that configuration, by section. */
  settings: { [section: string]: { [field: string]: unknown } }
  items: Item[]
}

interface Choices extends IdentityChoices {
  /** Buckets that are not imported. */
  leftOut: ReadonlySet<string>
  /** Whether buckets that are public stay so. */
  publicAccess: boolean
}

/** Translates exports of MinIO. Nobody can do more with the result than MinIO lets them. */
export function translateExport({ iam, buckets, others }: MinioExport, choices: Choices): Imported {
  const { items: ofIdentities, ...identities } = identitiesOf(iam, choices)
  const { items: ofBuckets, buckets: entries } = bucketsOf(buckets, choices)
  const lists = Object.entries({ ...identities, buckets: entries }).filter(([, list]) => list.length > 0)
  const isPublic = entries.some(({ policy }) => policy?.Statement.some(({ Effect }) => Effect === 'Allow'))
  return {
    configuration: Object.fromEntries(lists) as unknown as Imported['configuration'],
    settings: isPublic ? { s3: { public_access: true } } : {},
    items: [...ofIdentities, ...ofBuckets, ...(others.length > 0 ? [unknownFiles(others)] : [])],
  }
}

const unknownFiles = (names: readonly string[]): Item => ({
  kind: 'file',
  name: shortList(names, 3),
  verdict: 'not',
  notes: ['MinIO exports no files with such names.'],
})

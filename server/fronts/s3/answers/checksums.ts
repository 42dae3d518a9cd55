import type { NamedChecksums } from '../requests/checksums.ts'
import { element, type Xml } from './xml.ts'

/** The elements of a document that tell an object's checksums. */
export const checksumElements = (checksums: NamedChecksums): Xml[] => [
  ...checksums.map(({ name, value }) => element(`Checksum${name}`, value)),
  element('ChecksumType', checksums[0]?.type),
]

/** The headers that tell them. */
export const checksumHeaders = (checksums: NamedChecksums): { [name: string]: string } => {
  const [first] = checksums
  return {
    ...Object.fromEntries(checksums.map(({ header, value }) => [header, value])),
    ...(first ? { 'x-amz-checksum-type': first.type } : {}),
  }
}

import type { fields } from '../../../../contract/query.ts'
import { catalogue, plural } from '../../i18n.ts'

type Field = (typeof fields)[number]

const objects = (n: number) => plural(n, { one: 'object', other: 'objects' })

const FIELDS: Readonly<Record<Field, string>> = {
  name: 'File name',
  key: 'Whole path',
  prefix: 'Folder',
  ext: 'File extension',
  type: 'Content type',
  kind: 'Kind of file',
  size: 'Size',
  modified: 'Last change',
  created: 'First upload',
  tag: 'Tag',
  meta: 'Metadata',
  by: 'Uploaded by',
  encrypted: 'Encryption',
  storage: 'Storage class',
  bucket: 'Bucket',
}

export const text = catalogue('search.text', {
  title: 'Search',
  field: 'Search all buckets',
  allFor: (query: string) => `Search all buckets for “${query}”`,
  inAll: 'In all buckets',
  exportList: 'Export list',
  exportStreams: 'Everything that is found is written to a file as it arrives.',
  exportHolds: 'Everything that is found. This browser keeps the file in memory until it is complete.',
  csv: 'CSV, for spreadsheets',
  ndjson: 'NDJSON, with exact paths',
  exported: (name: string) => `${name} saved`,
  found: (n: number, isExact: boolean) => (isExact ? `${objects(n)} found` : `At least ${objects(n)} found`),
  results: 'Search results',
  place: 'Location',
  searching: 'Searching…',
  // What is not understood
  notUnderstood: (part: string) => `“${part}” is not understood.`,
  searchInstead: (query: string) => `Use ${query}`,
  suggestions: 'Suggestions',
  fieldOf: (field: Field) => FIELDS[field],
  // Attached buckets
  unread: 'Not all of these buckets could be searched:',
  unreadIn: (n: number, isExact: boolean) =>
    `${isExact ? '' : 'at least '}${plural(n, { one: 'object hasn’t', other: 'objects haven’t' })} been read yet: tags, metadata and types can’t find them.`,
  moreBuckets: (n: number) => `and ${plural(n, { one: 'more bucket', other: 'more buckets' })}`,
  // Before anything is searched for
  startTitle: 'Find objects in all buckets',
  startHint: 'Search for a part of a name, or combine terms like these:',
  exampleTag: 'With the tag “project” and the value “apollo”',
  examplePictures: 'Pictures changed in the last 7 days',
  exampleLarge: (size: string) => `PDF files over ${size}`,
  nothingHint: 'Only objects that you can list are found. Check the terms, or remove one of them.',
  clear: 'Clear search',
  keyField: 'Search',
  keyOpen: 'Open',
  keyMove: 'Move the cursor',
})

import { catalogue, plural } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'object', other: 'objects' })

export const text = catalogue('search.text', {
  title: 'Search',
  field: 'Search all buckets',
  allFor: (query: string) => `Search all buckets for “${query}”`,
  inAll: 'In all buckets',
  found: (n: number, isExact: boolean) => (isExact ? `${objects(n)} found` : `At least ${objects(n)} found`),
  results: 'Search results',
  place: 'Location',
  searching: 'Searching…',
  // What is not understood
  notUnderstood: (part: string) => `“${part}” is not understood.`,
  searchInstead: (query: string) => `Use ${query}`,
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

import { catalogue, plural } from '../../i18n.ts'

/** The way to take a read-only bucket over. */
export const takeOverText = catalogue('bucketsAttached.takeOverText', {
  title: 'Take over',
  cardHint:
    'Its objects become the bucket’s own without being copied. They can then be renamed, overwritten and deleted here. Others must no longer write there.',
  open: 'Take over…',
  adminsOnly: 'Only administrators can take it over.',
})

/** The way back of a bucket that was taken over. */
export const releaseText = catalogue('bucketsAttached.releaseText', {
  title: 'Release',
  hint: 'Writes every object under its own key to an S3 storage. Then the bucket is read-only and shows them there.',
  open: 'Release bucket…',
  adminsOnly: 'Only administrators can release it.',
  heading: (bucket: string) => `Release ${bucket}`,
  storage: 'Write objects to',
  prefix: 'Prefix',
  prefixHint: (place: string) => `There must be nothing under it yet. Without a prefix, that’s ${place}.`,
  noStorage: 'There is no S3 storage that is turned on. Add one first.',
  check: 'Check',
  refused: 'The bucket can’t be released',
  willWrite: (n: number, size: string) =>
    `${plural(n, { one: 'object', other: 'objects' })} (${size}): each is written there with type, headers, metadata and tags, then read again and compared.`,
  willLock: 'Meanwhile, the bucket can be read but not changed. If you cancel the job, it stays taken over.',
  willEnd: 'At the end, it’s read-only and shows the objects there. A second release then forgets it.',
  willStay: 'Nothing is deleted at the old place. Delete it there when you no longer need it.',
  start: 'Start release',
  started: 'Releasing the bucket',
})

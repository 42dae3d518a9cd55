import { catalogue, formatCount, plural } from '../../i18n.ts'

const contents = (n: number) => plural(n, { one: 'item', other: 'items' })

export const text = catalogue({
  title: 'Trash',
  hint: 'Deleted and overwritten contents, as long as their bucket keeps them.',
  bucket: 'Bucket',
  bucketOption: (name: string, size: string) => `${name} (${size})`,
  filter: 'Filter by folder or beginning of the key',
  key: 'Key',
  size: 'Size',
  reason: 'Why',
  deleted: 'Deleted',
  overwritten: 'Overwritten',
  when: 'When',
  expires: 'Gone for good',
  actions: 'Actions',
  select: (key: string) => `Select ${key}`,
  selectAll: 'Select all that are shown',
  selected: (n: number) => `${contents(n)} selected`,
  restore: 'Restore',
  restoreOne: (key: string) => `Restore ${key}`,
  purge: 'Delete for good',
  purgeOne: (key: string) => `Delete ${key} for good`,
  restored: (n: number) => `${contents(n)} restored`,
  purged: (n: number) => `${contents(n)} deleted for good`,
  emptyAll: 'Empty the trash',
  emptyAllTitle: (bucket: string) => `Empty the trash of ${bucket}?`,
  emptyAllText: (size: string) => `All of it, ${size}, is deleted for good.`,
  purgeTitle: (n: number) => `Delete ${contents(n)} for good?`,
  purgeText: (size: string) => `${size} cannot be restored afterwards:`,
  more: (n: number) => `and ${formatCount(n)} more`,
  noneTitle: 'The trash is empty',
  noneHint: (days: number) =>
    days === 0
      ? 'This bucket keeps nothing: its trash is off.'
      : `What is deleted or overwritten here stays for ${plural(days, { one: 'day', other: 'days' })}.`,
  noBuckets: 'You have no right on any bucket.',
  takenTitle: (n: number) => `${plural(n, { one: 'name is', other: 'names are' })} taken`,
  takenText: 'Nothing was restored. Under these names there are other contents now; rename or delete them first.',
  restoreOthers: (n: number) => `Restore the other ${formatCount(n)}`,
  twiceTitle: 'The same key twice',
  twiceText: 'Of each key only one content can be restored. The latest of each is taken.',
})

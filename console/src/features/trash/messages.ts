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
  takenTitle: (n: number) =>
    n === 1 ? 'An object with this name already exists' : `${formatCount(n)} objects with these names already exist`,
  takenText: 'Nothing has been restored yet. Already in use:',
  replace: 'Replace',
  replaceToTrash: 'The restored contents take the name. What is there now goes to the trash.',
  replaceForGood:
    'The restored contents take the name. What is there now is gone for good: this bucket keeps no trash.',
  replaceLatest: 'Of each name, the latest contents are restored.',
  replaceDenied:
    'Not possible for you: this bucket keeps no trash, so it would destroy what is there now. That needs the permissions “delete” and “manage”.',
  keepBoth: 'Keep both',
  keepBothHint: 'The restored contents get a name of their own, like “report (restored).pdf”.',
  restoreOthers: (n: number) => (n === 1 ? 'Restore only the other one' : `Restore only the other ${formatCount(n)}`),
  restoredAs: (key: string) => `Restored as ${key}`,
})

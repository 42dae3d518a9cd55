import { catalogue, formatCount, plural } from '../../i18n.ts'

const contents = (n: number) => plural(n, { one: 'item', other: 'items' })

export const text = catalogue('trash.text', {
  title: 'Trash',
  hint: 'Deleted files and previous versions, kept for each bucket’s retention time.',
  bucket: 'Bucket',
  bucketOption: (name: string, size: string) => `${name} (${size})`,
  filter: 'Filter by path',
  key: 'Key',
  size: 'Size',
  reason: 'Reason',
  deleted: 'Deleted',
  overwritten: 'Replaced',
  when: 'Deleted',
  expires: 'Permanently deleted',
  actions: 'Actions',
  select: (key: string) => `Select ${key}`,
  selectAll: 'Select all on this page',
  selected: (n: number) => `${contents(n)} selected`,
  restore: 'Restore',
  restoreOne: (key: string) => `Restore ${key}`,
  purge: 'Delete permanently',
  purgeOne: (key: string) => `Delete ${key} permanently`,
  restored: (n: number) => `${contents(n)} restored`,
  restoredOne: (name: string) => `${name} restored`,
  show: 'Show',
  purged: (n: number) => `${contents(n)} permanently deleted`,
  emptyAll: 'Empty trash',
  emptyAllTitle: (bucket: string) => `Empty the trash of ${bucket}?`,
  emptyAllText: (size: string) => `Permanently deletes everything in it (${size}).`,
  purgeTitle: (n: number) => `Delete ${contents(n)} permanently?`,
  purgeText: (size: string) => `You can’t restore them afterwards (${size}):`,
  more: (n: number) => `and ${formatCount(n)} more`,
  noneTitle: 'The trash is empty',
  noneHint: (days: number) =>
    days === 0
      ? 'The trash is off for this bucket.'
      : `Deleted and replaced files stay here for ${plural(days, { one: 'day', other: 'days' })}.`,
  noBuckets: 'You don’t have access to a bucket with a trash.',
  takenTitle: (n: number) =>
    n === 1 ? 'An object with this name already exists' : `${formatCount(n)} objects with these names already exist`,
  takenText: 'Nothing has been restored yet. These already exist:',
  replace: 'Replace',
  replaceToTrash: 'Restores the file under its name. The current version goes to the trash.',
  replaceForGood:
    'Restores the file under its name. The current version is permanently deleted, because the trash is off.',
  replaceLatest: 'If there are several versions, the latest is restored.',
  replaceDenied:
    'You can’t replace here: the trash is off, so the current version would be permanently deleted. Requires the “delete” and “manage” permissions.',
  keepBoth: 'Keep both',
  keepBothHint: 'Restores the file under a new name, such as “report (restored).pdf”.',
  restoreOthers: (n: number) => (n === 1 ? 'Restore only the other one' : `Restore only the other ${formatCount(n)}`),
  restoredAs: (key: string) => `Restored as ${key}`,
})

import { catalogue, plural } from '../../i18n.ts'

const objects = (n: number) => plural(n, { one: 'object', other: 'objects' })

export const text = catalogue({
  // The list
  title: 'Buckets',
  create: 'New bucket',
  name: 'Name',
  objects: 'Objects',
  used: 'Used',
  trash: 'In trash',
  created: 'Created',
  emptyTitle: 'No buckets yet',
  emptyHint: 'Buckets hold your files. Each can have its own quota.',
  noneVisible: 'You don’t have access to any buckets yet. Ask an administrator to add you to a group.',
  nameHint: '3–63 characters: lowercase letters, digits, dots and hyphens.',
  nameShort: 'Use at least 3 characters.',
  nameBad:
    'Use lowercase letters, digits, dots and hyphens. Start and end with a letter or digit. No two dots in a row, no IP addresses.',
  quota: 'Quota (GB)',
  quotaHint: 'Leave empty for no limit. 1 GB is 1,073,741,824 bytes.',
  made: (name: string) => `Bucket ${name} created`,
  filter: 'Filter by name',
  count: (n: number) => plural(n, { one: 'bucket', other: 'buckets' }),

  // Without permissions
  noGroupTitle: 'You don’t belong to a group yet',
  noGroupHint: 'Groups grant permissions. Ask an administrator to add you to one. You don’t need to sign in again.',
  noRightsTitle: 'Your groups don’t grant you any permissions yet',
  noRightsHint: (groups: string) =>
    `You’re in ${groups}. Ask an administrator for access to a bucket. You don’t need to sign in again.`,
  yourAccount: 'Your account:',
  lookAgain: 'Check again',

  // Overview of a bucket
  overview: 'Overview',
  upload: 'Upload',
  stored: 'Stored',
  inTrash: 'In trash',
  reserved: 'Reserved by unfinished uploads',
  facts: 'About this bucket',
  quotaFact: 'Quota',
  noQuota: 'No limit',
  inVersions: 'In earlier versions',
  trashKeeps: 'Trash retention',
  trashOff: 'Off',
  days: (n: number) => plural(n, { one: 'day', other: 'days' }),
  rights: 'Your permissions',
  free: (free: string) => `${free} free`,
  usage: 'Usage',
  storedOverTime: 'Stored over time',
  transfer: (uploaded: string, downloaded: string) =>
    `${uploaded} uploaded and ${downloaded} downloaded in this period.`,
  activity: 'Recent activity',
  noActivity: 'No activity yet.',
  when: 'When',
  who: 'Who',
  what: 'What',
  key: 'Key',
  result: 'Result',
  system: 'System',
  anonymous: 'Anonymous',
  success: 'Succeeded',
  denied: 'Denied',
  failure: 'Failed',

  // Settings of a bucket
  settings: 'Settings',
  limits: 'Limits',
  below: (used: string) => `Below current use (${used}). Existing files stay; new uploads will be rejected.`,
  trashDays: 'Trash retention (days)',
  trashHint: 'How long deleted and replaced files can be restored. 0 turns the trash off.',
  save: 'Save',
  saved: 'Settings saved',
  dirty: 'Unsaved changes',
  danger: 'Danger zone',
  emptyBucket: 'Empty bucket',
  emptyBucketHint: (n: number, size: string) => `Deletes all ${objects(n)} (${size}) in the background.`,
  emptyVersionsHint: (n: number, size: string) =>
    `Deletes all ${objects(n)} and every earlier version (${size}) in the background.`,
  emptyNothing: 'This bucket is empty.',
  emptyTrash: (days: number) =>
    days === 0
      ? 'The trash is off, so they can’t be restored.'
      : `You can restore them from the trash for ${plural(days, { one: 'day', other: 'days' })}.`,
  emptyBucketTitle: (bucket: string) => `Empty ${bucket}?`,
  emptyStarted: 'Emptying the bucket',
  remove: 'Delete bucket',
  removeHint: 'Also deletes its trash. The name becomes available again.',
  removeFirst: (n: number) => `Only an empty bucket can be deleted. This one has ${objects(n)}.`,
  removeTitle: (bucket: string) => `Delete ${bucket}?`,
  removeText: (trash: string) => `Permanently deletes the bucket and its trash (${trash}).`,
  removed: (bucket: string) => `Bucket ${bucket} deleted`,
  needsManage: 'Requires the “manage” permission on this bucket.',
})

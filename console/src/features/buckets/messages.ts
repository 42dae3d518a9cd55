import { catalogue, plural } from '../../i18n.ts'

export const text = catalogue({
  title: 'Buckets',
  create: 'New bucket',
  name: 'Name',
  objects: 'Objects',
  used: 'Used',
  trash: 'In the trash',
  created: 'Created',
  emptyTitle: 'No bucket yet',
  emptyHint: 'A bucket holds objects: files by name, under one quota.',
  noneVisible: 'You have no right on any bucket. Ask an administrator to put you into a group.',
  nameHint: '3–63 of a–z, 0–9, “.” and “-”, beginning and ending with a letter or digit.',
  nameShort: 'At least three characters.',
  nameBad: 'Only a–z, 0–9, “.” and “-”; letters or digits at both ends; no two dots; no IP address.',
  quota: 'Quota (GB)',
  quotaHint: '1 GB is 1,073,741,824 bytes. Leave empty for no limit.',
  made: (name: string) => `Bucket ${name} is made`,
  filter: 'Filter by name',
  count: (n: number) => plural(n, { one: 'bucket', other: 'buckets' }),

  noGroupTitle: 'You are signed in, but belong to no group yet',
  noGroupHint: 'Rights come from groups. Ask an administrator to put you into one; you need not sign in again.',
  noRightsTitle: 'You are signed in, but your groups give you no rights yet',
  noRightsHint: (groups: string) =>
    `You are in ${groups}. Ask an administrator to give it rights on a bucket; you need not sign in again.`,
  yourAccount: 'Tell them your address:',
  lookAgain: 'Look again',
})

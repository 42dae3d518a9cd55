import { catalogue, formatCount, plural } from '../../i18n.ts'

export const text = catalogue('home.text', {
  title: 'Home',
  // First steps
  firstSteps: 'Finish setting up',
  progress: (done: number, all: number) => `${formatCount(done)} of ${formatCount(all)} done`,
  hide: 'Hide',
  password: 'Replace the generated password',
  passwordHint: 'The service printed it, so it may be in a log.',
  bucket: 'Create a bucket',
  bucketHint: 'Or attach one that is on an S3 engine already.',
  people: 'Add users',
  peopleHint: 'Create accounts, and groups that say who can do what.',
  sso: 'Set up single sign-on',
  ssoHint: 'Users sign in with the accounts they have.',
  client: 'Connect an S3 client',
  clientHint: 'Create an access key for rclone, the AWS CLI or your backup.',
  webhook: 'Send events to a webhook',
  webhookHint: 'Tell your own services what changes here.',
  done: 'Done',
  open: 'To do',
  // Key figures
  buckets: 'Buckets',
  objects: 'Objects',
  stored: 'Stored',
  inTrash: 'In trash',
  withoutFolders: 'Without buckets where you only have folders',
  // Attention
  attention: 'Needs attention',
  nothing: 'Nothing needs your attention.',
  diskShort: 'The disk is almost full. Uploads are refused until there is room.',
  diskNearlyFull: (free: string) => `The disk is filling up: ${free} are free.`,
  storageDown: (name: string) => `The storage ${name} is unreachable.`,
  historyFull: (bucket: string) => `Snapshots of ${bucket} keep more than the limit. No new ones are created.`,
  full: (bucket: string) => `${bucket} is full. New uploads are rejected.`,
  nearlyFull: (bucket: string, share: string) => `${bucket} is ${share} full.`,
  webhookOff: (name: string) => `The webhook ${name} was disabled because it failed too often.`,
  webhookFailing: (name: string) => `The webhook ${name} fails. First failure:`,
  webhookFails: (name: string, n: number) =>
    `${plural(n, { one: 'delivery', other: 'deliveries' })} to the webhook ${name} failed in the last 24 hours.`,
  tokenExpires: (name: string) => `The access token ${name} expires soon:`,
  keyExpires: (name: string) => `The access key ${name} expires soon:`,
  scanHeld: (bucket: string) => `A scan of ${bucket} waits for confirmation.`,
  findings: (bucket: string, n: number) =>
    `Others changed ${plural(n, { one: 'object', other: 'objects' })} of ${bucket} on its engine.`,
  // Work in progress, buckets
  running: 'Running jobs',
  largest: 'Largest buckets',
  allBuckets: 'All buckets',
})

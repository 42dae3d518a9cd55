import { catalogue, formatCount, plural } from '../../i18n.ts'

/** How objects of a bucket are encrypted. */
export const text = catalogue('encryption.text', {
  title: 'Encryption',
  none: 'Not encrypted',
  byService: 'With a key of the service (AES256)',
  byKey: (name: string) => `With the key “${name}” of a key service`,
  share: (percent: string, encrypted: string, all: string) => `${percent} encrypted: ${encrypted} of ${all}`,
  shareObjects: (encrypted: number, all: number) =>
    `${formatCount(encrypted)} of ${plural(all, { one: 'file', other: 'files' })}`,
  shareLabel: 'Encrypted share of the bytes',
  empty: 'The bucket is empty.',
  forNew: 'New files',
  forNewHint: 'Applies unless the upload says otherwise. Existing files don’t change.',
  newAre: (how: string) => `New files: ${how}`,
  apply: 'Apply',
  saved: 'Encryption of new files changed',
  existing: 'Existing files',
  existingHint: 'A job encrypts files, their versions and the trash while the bucket is in use.',
  encrypt: 'Encrypt',
  encryptExisting: 'Encrypt existing files',
  encryptTitle: (bucket: string) => `Encrypt everything in ${bucket}?`,
  encryptText:
    'Files are encrypted as new ones are, or with a key of the service if new ones aren’t encrypted. Until the job is done, the encrypted copies need additional space.',
  decrypt: 'Decrypt',
  decryptExisting: 'Decrypt existing files',
  decryptTitle: (bucket: string) => `Decrypt everything in ${bucket}?`,
  decryptText:
    'Whoever has access to the disk or the storage can then read these files. Files encrypted with a key of their client stay encrypted.',
})

/** The registered keys of key services. */
export const keysText = catalogue('encryption.keysText', {
  title: 'Encryption keys',
  hint: 'Keys of key services (KMS) that buckets and S3 clients can encrypt with.',
  add: 'Register key',
  emptyTitle: 'No keys registered',
  emptyHint: 'Files can be encrypted without one, with a key of the service (AES256).',
  name: 'Name',
  kind: 'Key service',
  kindName: (kind: 'aws' | 'transit') => ({ aws: 'AWS KMS API', transit: 'Transit (Vault, OpenBao)' })[kind],
  where: 'Address',
  aws: 'AWS',
  keyId: 'Key ID',
  state: 'State',
  on: 'In use',
  off: 'Turned off',
  created: 'Registered',
  actions: 'Actions',
  turnOff: 'Turn off',
  turnOffTitle: (name: string) => `Turn off ${name}?`,
  turnOffText:
    'Until it’s turned on again, files encrypted with it can’t be read, and uploads that need it are refused.',
  turnedOff: (name: string) => `${name} turned off`,
  turnOn: 'Turn on',
  turnedOn: (name: string) => `${name} turned on`,
  remove: 'Delete',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText:
    'Removes the key and its credentials from Strongroom; the key service keeps it. Keys that something is encrypted with can’t be deleted.',
  removed: (name: string) => `${name} deleted`,
})

/** The form for another key. */
export const newKeyText = catalogue('encryption.newKeyText', {
  title: 'Register key',
  hint: 'The key is tested first: one that can’t encrypt and decrypt isn’t registered.',
  key: 'Key',
  nameHint: 'How buckets and S3 clients name it. It can’t be changed later.',
  nameBad: 'Use letters, digits, periods, hyphens and underscores.',
  badForm: 'Invalid format.',
  endpoint: 'Endpoint',
  endpointHintAws: 'Leave empty for AWS.',
  endpointHintTransit: 'Address of Vault or OpenBao.',
  region: 'Region',
  mount: 'Mount path',
  keyIdHintAws: 'ID, ARN or alias.',
  keyIdHintTransit: 'Name of the key in the Transit engine.',
  credentials: 'Credentials',
  accessKeyId: 'Access key ID',
  accessKeyIdHint: 'Leave empty to use the environment’s credentials, such as an instance role.',
  secret: 'Secret access key',
  token: 'Token',
  secretHint: 'Stored encrypted and never shown again.',
  refused: 'The key wasn’t registered',
  action: 'Test and register',
  added: (name: string) => `${name} registered`,
})

import type { StorageCheck, StorageKind } from '../../../../contract/storages.ts'
import type { Disk } from '../../../../contract/system.ts'
import { catalogue, formatCount, plural } from '../../i18n.ts'

const buckets = (n: number) => plural(n, { one: 'bucket', other: 'buckets' })

export const text = catalogue('storages.text', {
  right: 'admin',
  title: 'Storages',
  hint: 'Places for the bytes of buckets: S3-compatible engines and folders.',
  add: 'Add storage',
  // The list
  name: 'Name',
  isDefault: 'Default',
  kind: 'Kind',
  kindName: (kind: StorageKind) => ({ s3: 'S3', file: 'Folder' })[kind],
  where: 'Location',
  aws: 'AWS',
  buckets: 'Buckets',
  used: 'Used',
  health: 'Health',
  reachable: 'Reachable',
  reachedIn: (ms: number) => `Answered in ${formatCount(ms)} ms`,
  slow: 'Slow',
  unreachable: 'Unreachable',
  noticed: 'Noticed',
  off: 'Turned off',
  checking: 'Checking…',
  free: 'Free',
  // What is attached to it
  attached: 'Attached buckets',
  attachedNone: 'None',
  attach: 'Attach a bucket',
  // One storage
  about: 'About this storage',
  created: 'Created',
  defaultHint: 'Configured with STORAGE_URL, so it can’t be changed or deleted here.',
  connection: 'Connection',
  save: 'Save',
  saved: 'Storage saved',
  refused: 'Nothing was saved',
  danger: 'Danger zone',
  turnOff: 'Turn off',
  turnOffHint: 'While it’s off, requests for what is on it are answered with 503. Nothing on it is changed.',
  turnOffTitle: (name: string) => `Turn off ${name}?`,
  turnOffText: (n: number) =>
    n === 0
      ? 'It can’t be used until it’s turned on again. Requests for what is on it are answered with 503.'
      : `Requests for what is on it are answered with 503 until it’s turned on again. This affects ${buckets(n)}.`,
  turnedOff: (name: string) => `${name} turned off`,
  turnOn: 'Turn on',
  isOff: 'This storage is turned off. Requests for what is on it are answered with 503.',
  turnedOn: (name: string) => `${name} turned on`,
  remove: 'Delete storage',
  removeHint: 'Removes it from this list. Other objects in the same place stay.',
  removeFirst: (n: number) => `Only a storage without buckets can be deleted. Move or release its ${buckets(n)} first.`,
  removeTitle: (name: string) => `Delete ${name}?`,
  removeText: 'Removes the storage and its credentials from Strongroom. Other objects in the same place stay.',
  removed: 'Storage deleted',
})

export const roomText = catalogue('storages.roomText', {
  title: 'Disk space',
  of: (disk: Disk['of']) => ({ database: 'Database', storage: 'Objects' })[disk],
  both: 'Database and objects',
  free: 'Free:',
  state: (state: Disk['state']) => ({ room: 'Enough', nearly_full: 'Nearly full', short: 'Almost full' })[state],
  refused: 'Uploads are refused until there is room. Downloads, sign-in and deletions still work.',
  soon: 'Less than a tenth is free. Uploads are refused when it’s almost full.',
  emptyTrash: 'Empty the trash.',
  emptyTrashHint: 'While the disk is almost full, its space is free immediately, otherwise after the grace period.',
  cleanUp: 'Delete what isn’t needed,',
  cleanUpHint:
    'by a cleanup policy for example, then empty the trash. Versions and locked objects stay until their time.',
  move: 'Add a storage with room',
  moveHint: 'and move a bucket there, in the bucket’s settings.',
  enlarge: 'Or enlarge the disk. No restart is needed.',
})

export const formText = catalogue('storages.formText', {
  newTitle: 'Add storage',
  newHint: 'Nothing is written there before the first bucket is created on it.',
  place: 'Location',
  nameHint: 'Lowercase letters, digits, hyphens. Can’t be changed.',
  nameBad: 'Use up to 63 lowercase letters, digits and hyphens. Start and end with a letter or digit.',
  endpoint: 'Endpoint',
  endpointHint: 'URL of the S3 engine, with http:// or https://. Leave empty for AWS.',
  region: 'Region',
  bucket: 'Bucket',
  prefix: 'Prefix',
  prefixHint: 'Leave empty for the whole bucket.',
  style: 'Addressing',
  styleName: (style: 'auto' | 'path' | 'host') =>
    ({ auto: 'Automatic', path: 'Bucket in the path', host: 'Bucket in the host name' })[style],
  styleHint: 'Automatic: in the path if there is an endpoint.',
  folder: 'Folder',
  folderHint: 'An absolute path in one of the folders that STORAGE_FOLDERS names.',
  credentials: 'Credentials',
  credentialsHint: 'Leave empty for the usual sources of the AWS SDK.',
  keyId: 'Access key ID',
  secret: 'Secret access key',
  secretHint: 'Stored encrypted and never shown.',
  badForm: 'Invalid format.',
  action: 'Add storage',
  refused: 'This storage can’t be added',
  added: (name: string) => `Storage ${name} added`,
})

export const testText = catalogue('storages.testText', {
  title: 'Test',
  hint: 'Tries all that a bucket needs. Nothing stays there.',
  hintSaved: 'Tries the saved settings. Nothing stays there.',
  action: 'Test',
  again: 'Test again',
  passed: 'Test passed',
  warned: 'Passed with warnings',
  failed: 'Test failed',
  stale: 'The settings have changed since this test.',
  checks: 'Checks',
  check: (name: StorageCheck['name']) =>
    ({
      reach: 'Connection',
      list: 'List objects',
      order: 'Order of keys',
      head: 'Properties',
      read: 'Read',
      if_match: 'Conditions',
      clock: 'Clock',
      versioning: 'Versions',
      write: 'Write and delete',
    })[name],
  status: (status: StorageCheck['status']) =>
    ({ passed: 'Passed', warning: 'Warning', failed: 'Failed', skipped: 'Skipped' })[status],
  preview: 'First objects',
  key: 'Key',
  size: 'Size',
  modified: 'Modified',
})

export const eventsText = catalogue('storages.eventsText', {
  title: 'Event notifications',
  on: 'Token set',
  off: 'Off',
  hintOff:
    'With a token, the S3 engine can report changes in attached buckets as they happen. Without one, they are found by hourly scans.',
  hintOn:
    'The S3 engine can report changes in attached buckets as they happen. Scans still run, once a day while reports arrive.',
  create: 'Create token',
  replace: 'Replace token',
  replaceTitle: 'Replace this token?',
  replaceText: 'Reports with the current token are refused from now on. Configure the engine with the new one.',
  delete: 'Delete token',
  deleteTitle: 'Delete this token?',
  deleteText: 'Reports from the engine are refused. Changes are found by hourly scans.',
  deleted: 'Token deleted',
  token: 'Token',
  url: 'URL for the engine',
  bearer: 'Configure the engine to send its event notifications to this URL, with the token as a Bearer token.',
  urlWithToken: 'URL with the token in it',
  inUrl: 'For engines that can’t send a token of their own, such as Ceph.',
})

import { catalogue, formatCount, plural } from '../../i18n.ts'

const files = (n: number) => plural(n, { one: 'file', other: 'files' })

export const text = catalogue('uploads.text', {
  files,
  // Dialog
  title: 'Upload',
  target: 'Destination',
  dropHere: 'Drop files or folders here',
  chooseFiles: 'Choose files',
  chooseFolder: 'Choose folder',
  reading: (n: number) => (n === 0 ? 'Reading files…' : `Reading files: ${files(n)} so far…`),
  chosen: (n: number, size: string) => `${files(n)}, ${size}`,
  more: (n: number) => `and ${formatCount(n)} more`,
  startOver: 'Clear',
  hidden: 'Skip hidden files',
  hiddenHint: 'Files starting with a dot, and system files such as Thumbs.db.',
  leftOut: (n: number) => `${plural(n, { one: 'hidden file', other: 'hidden files' })} skipped`,
  emptyFolders: (n: number) => `${plural(n, { one: 'empty folder', other: 'empty folders' })} skipped`,
  notRead: (n: number) =>
    n === 1
      ? 'The browser can’t read 1 item, so it won’t be uploaded:'
      : `The browser can’t read ${formatCount(n)} items, so they won’t be uploaded:`,
  sameName: (n: number) =>
    n === 1
      ? 'Two different files were chosen for 1 name. Only the later one is uploaded:'
      : `Two different files were chosen for each of ${formatCount(n)} names. Only the later ones are uploaded:`,
  nothing: 'No files found.',
  willResume: (n: number, sent: string, all: string) =>
    n === 1
      ? `1 interrupted upload resumes: ${sent} of ${all} arrived.`
      : `${formatCount(n)} interrupted uploads resume: ${sent} of ${all} arrived.`,
  ifTaken: 'If a file already exists',
  ask: 'Ask',
  replace: 'Replace',
  skip: 'Skip',
  both: 'Keep both',
  noRoom: (free: string, size: string) =>
    `Only ${free} left in this bucket, but you selected ${size}. Files that don’t fit won’t be uploaded.`,
  denied: (n: number) => `You don’t have the “write” permission for ${files(n)}.`,
  upload: (n: number) => (n === 0 ? 'Upload' : `Upload ${files(n)}`),
  alreadyUploading: 'These files are already being uploaded.',

  // Dock
  uploads: 'Uploads',
  indicator: (percent: number) => `Uploads: ${percent}%`,
  uploading: (done: number, all: number) => `Uploading: ${formatCount(done)} of ${files(all)}`,
  heldTitle: (done: number, all: number) => `Paused: ${formatCount(done)} of ${files(all)}`,
  waitingTitle: (done: number, all: number) => `Waiting: ${formatCount(done)} of ${files(all)}`,
  finished: (n: number) => (n === 0 ? 'Nothing was uploaded' : `${files(n)} uploaded`),
  resumableTitle: (n: number) => `${plural(n, { one: 'upload', other: 'uploads' })} can be resumed`,
  progress: (sent: string, all: string) => `${sent} of ${all}`,
  arrivedOf: (sent: string, all: string) => `${sent} of ${all} arrived`,
  rate: (rate: string) => `${rate}/s`,
  left: (time: string) => `${time} left`,
  pauseAll: 'Pause all',
  resumeAll: 'Resume all',
  cancelAll: 'Cancel all',
  cancelAllQuestion: (n: number) => `${files(n)} will not be uploaded. Completed uploads stay.`,
  expand: 'Show files',
  collapse: 'Hide files',
  closeDock: 'Close',
  hideDock: 'Hide until later',
  pause: (name: string) => `Pause ${name}`,
  resume: (name: string) => `Resume ${name}`,
  retry: (name: string) => `Retry ${name}`,
  cancel: (name: string) => `Cancel ${name}`,
  retryAll: (n: number) => `Retry ${files(n)}`,
  offline: 'Can’t reach the server. Uploads resume automatically.',
  bucketFull: (bucket: string, n: number, missing: string) =>
    `“${bucket}” is full: ${files(n)} not uploaded, ${missing} missing.`,
  bucketStopped: (detail: string, n: number) => `${detail} ${files(n)} not uploaded.`,
  continues: 'Uploads continue when there is room.',
  tryAgain: 'Try again',
  conflicts: (n: number) => (n === 1 ? '1 file already exists.' : `${formatCount(n)} files already exist.`),
  decide: 'Review…',
  earlier: 'Earlier uploads',
  lost: (n: number) =>
    n === 1
      ? '1 upload was interrupted. Choose the same file to resume.'
      : `${formatCount(n)} uploads were interrupted. Choose the same files to resume.`,
  goOn: 'Resume',
  discard: 'Discard',
  discardQuestion: (n: number) =>
    `${plural(n, { one: 'interrupted upload', other: 'interrupted uploads' })} will be removed.`,
  attached: (n: number) => (n === 0 ? 'None of these files matches an interrupted upload.' : `${files(n)} resumed`),
  notAllowed: 'The browser denied access to the files. Choose them again.',
  moreRows: (n: number) => `${files(n)} more`,
  loose: 'Individual files',
  groupState: (done: number, all: number) => `${formatCount(done)} of ${formatCount(all)}`,
  showGroup: (name: string) => `Files in ${name}`,

  // States
  checking: 'Checking',
  queued: 'Queued',
  held: 'Paused',
  running: 'Uploading',
  noConnection: 'Waiting for the server',
  completing: 'Finishing',
  full: 'Bucket full',
  paused: 'Paused',
  error: 'Failed',
  conflict: 'Already exists',
  conflictIdentical: 'Already exists, identical',
  lostState: 'Choose file to resume',
  done: 'Done',
  skipped: 'Skipped',
  cancelled: 'Cancelled',

  // Conflicts
  conflictsTitle: (n: number) => (n === 1 ? '1 file already exists' : `${formatCount(n)} files already exist`),
  conflictsHint: 'Your other files keep uploading. Replaced versions go to the trash if the bucket has one.',
  name: 'Name',
  there: 'Existing',
  identical: 'Identical',
  skipIdentical: (n: number) => `Skip ${formatCount(n)} identical`,
  yours: 'New',
  choice: 'Action',
  unknown: 'Unknown',
  forAll: (n: number) => `Apply to all ${formatCount(n)}`,
  shownFirst: (shown: number, all: number) => `Showing the first ${formatCount(shown)} of ${formatCount(all)}`,
  later: 'Decide later',

  // What the engine finds wrong
  badName: 'This name isn’t allowed',
  badNameHint: 'Names can have at most 1,024 bytes, including folders, and no null characters.',
  unreadable: 'The file couldn’t be read',
  unreadableHint: 'It was changed, moved or deleted on this computer. Choose it again.',
  otherFile: 'This is a different file',
  otherFileHint: 'The part that was already uploaded is from another file.',
  unreachable: 'Connection lost',
  unreachableHint: 'The connection keeps failing. Try again later.',

  // Unfinished uploads of a bucket
  unfinished: 'Unfinished uploads',
  unfinishedHint:
    'Large uploads that weren’t finished. They count toward the quota until resumed, cancelled or expired.',
  key: 'Key',
  arrived: 'Uploaded',
  begun: 'Started',
  by: 'Started by',
  you: 'You',
  somebody: 'Another user',
  expires: 'Expires',
  actions: 'Actions',
  unknownSize: 'unknown size',
  noneTitle: 'No unfinished uploads',
  noneHint: 'Interrupted uploads appear here. You can resume or cancel them.',
  resumeUpload: 'Resume',
  resumeHint: (key: string) => `Choose the file for ${key}`,
  wrongSize: (wanted: string, is: string) => `This file has ${is}, but the upload needs ${wanted}.`,
  cancelThis: 'Cancel',
  abort: 'Cancel upload',
  abortTitle: 'Cancel this upload?',
  abortText: (key: string, bytes: string) => `The uploaded part of “${key}” (${bytes}) is deleted.`,
  aborted: 'Upload cancelled',
  runsHere: 'In this window',
  open: 'Unfinished',
})

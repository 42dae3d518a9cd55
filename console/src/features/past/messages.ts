import { catalogue } from '../../i18n.ts'

export const text = catalogue('past.text', {
  title: (place: string) => `What was in ${place}?`,
  ago: (span: 'hour' | 'day' | 'week' | 'month') =>
    ({ hour: 'An hour ago', day: 'Yesterday', week: 'Last week', month: 'A month ago' })[span],
  usual: 'Recent moments',
  moment: 'Date and time',
  momentHint: 'Shows the list as it was then. Nothing is changed.',
  notYet: 'This time is in the future.',
  show: 'Show',
  snapshots: 'Snapshots',
  change: 'Other moment…',
  changes: 'Changes and snapshots',
  nothingKept: 'This bucket keeps neither a trash nor versions. Only what snapshots keep can be shown.',
  band: 'The past',
  asOf: (time: string) => `As of ${time}`,
  snapshot: (name: string) => `Snapshot ${name}`,
  readOnly: 'Read-only: this is the past.',
  since: 'Changes since',
  now: 'Back to now',
  wasEmpty: 'Nothing was here then',
  wasEmptyHint: 'The folder didn’t exist at this moment, or it was empty.',
  unknown: 'This moment can’t be shown',
  erasedHint: 'Its contents were permanently deleted since then.',
  noPreview: 'No preview of this file type in the past. Download it to open it.',
  noFormer: 'The trash has no earlier contents of this file.',
  replaced: 'Replaced',
})

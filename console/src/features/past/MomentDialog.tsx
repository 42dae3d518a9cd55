import './past.css'
import { Anchor, Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { isSnapshotName } from '../../../../contract/names.ts'
import { bucketQuery } from '../../api/buckets.ts'
import { formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { localValue } from '../../ui/ExpiryField.tsx'
import { MomentField } from '../../ui/MomentField.tsx'
import { text as common } from '../../ui/messages.ts'
import { text } from './messages.ts'
import { snapshotsQuery } from './queries.ts'

const HOUR_MS = 3600_000
const DAY_MS = 24 * HOUR_MS
const usual = [
  ['hour', HOUR_MS],
  ['day', DAY_MS],
  ['week', 7 * DAY_MS],
  ['month', 30 * DAY_MS],
] as const

/** Chooses the moment at which a bucket or folder is shown: a usual one, any time, or a snapshot. */
export default function MomentDialog({
  bucket,
  prefix,
  at,
  onChoose,
  onClose,
}: {
  bucket: string
  prefix: string
  at: string | undefined
  onChoose: (at: string) => void
  onClose: () => void
}) {
  const about = useQuery(bucketQuery(bucket))
  const snapshots = useQuery(snapshotsQuery(bucket))
  const [opened] = useState(() => Date.now())
  const [value, setValue] = useState(() =>
    localValue(new Date(at === undefined || isSnapshotName(at) ? opened - HOUR_MS : at)),
  )
  const time = new Date(value)
  const isPast = time.getTime() <= opened
  const { history_from } = about.data ?? {}
  const keepsNothing = history_from === null
  // Before that, nothing is known.
  const from = typeof history_from === 'string' ? Date.parse(history_from) : opened
  const offered = usual.filter(([, length]) => opened - length >= from)
  return (
    <Modal opened onClose={onClose} title={text.title(legible(prefix === '' ? bucket : `${bucket}/${prefix}`))}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isPast) onChoose(time.toISOString())
        }}
      >
        {keepsNothing ? <p className="warn">{text.nothingKept}</p> : null}
        {offered.length === 0 ? null : (
          <fieldset className="past-presets" aria-label={text.usual}>
            {offered.map(([span, length]) => (
              <Button key={span} variant="default" onClick={() => onChoose(new Date(opened - length).toISOString())}>
                {text.ago(span)}
              </Button>
            ))}
          </fieldset>
        )}
        <MomentField
          label={text.moment}
          description={text.momentHint}
          value={value}
          max={localValue(new Date(opened))}
          onChange={(event) => setValue(event.currentTarget.value)}
          error={time.getTime() > opened ? text.notYet : undefined}
          data-autofocus
        />
        {snapshots.data && snapshots.data.length > 0 ? (
          <section className="stack-tight" aria-labelledby="past-snapshots">
            <h3 id="past-snapshots">{text.snapshots}</h3>
            <ul className="past-snapshots">
              {snapshots.data.map(({ name, moment, note }) => (
                <li key={name}>
                  <button type="button" onClick={() => onChoose(name)} title={note ?? undefined}>
                    <strong>{name}</strong> <span className="dim">{formatTime(moment)}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ) : null}
        <div className="dialog-actions">
          <Anchor component={Link} to={`/b/${bucket}/history`} search={prefix ? { prefix } : {}} className="past-more">
            {text.changes}
          </Anchor>
          <span className="grow" />
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" disabled={!isPast}>
            {text.show}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

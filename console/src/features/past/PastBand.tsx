import './past.css'
import { Button } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { isSnapshotName } from '../../../../contract/names.ts'
import { formatTime } from '../../i18n.ts'
import { Link } from '../../navigation/Link.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { snapshotsQuery } from './queries.ts'

/** Says that a view shows the past, which moment of it, and leads back. */
export default function PastBand({
  bucket,
  prefix,
  at,
  onChoose,
  onLeave,
}: {
  bucket: string
  prefix: string
  at: string
  onChoose: () => void
  onLeave: () => void
}) {
  const name = isSnapshotName(at) ? at : undefined
  const { data } = useQuery({ ...snapshotsQuery(bucket), enabled: name !== undefined })
  const snapshot = data?.find((one) => one.name === name)
  const time = name === undefined ? at : snapshot?.moment
  const isTime = time !== undefined && Number.isFinite(Date.parse(time))
  return (
    <section className="past-band" aria-label={text.band}>
      <IconHistory size={18} aria-hidden />
      <p className="past-when" role="status">
        <strong>{name === undefined ? text.asOf(isTime ? formatTime(at) : at) : text.snapshot(name)}</strong>
        {isTime ? (
          <span>
            {name === undefined ? null : `${formatTime(time)} · `}
            <TimeAgo time={time} />
          </span>
        ) : null}
        <span>{text.readOnly}</span>
      </p>
      <span className="past-actions">
        <Button variant="subtle" onClick={onChoose}>
          {text.change}
        </Button>
        <Button
          variant="subtle"
          component={Link}
          to={`/b/${bucket}/history`}
          search={{ from: at, ...(prefix ? { prefix } : {}) }}
        >
          {text.since}
        </Button>
        <Button onClick={onLeave}>{text.now}</Button>
      </span>
    </section>
  )
}

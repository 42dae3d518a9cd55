import './storages.css'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Disk } from '../../../../contract/system.ts'
import { Link } from '../../navigation/Link.tsx'
import { Bytes, Status, type Tone } from '../../ui/values.tsx'
import { disksQuery, distinct, STATE_MS } from './disks.ts'
import { roomText as text } from './messages.ts'

const tones: Readonly<Record<Disk['state'], Tone>> = { room: 'ok', nearly_full: 'warn', short: 'bad' }

/** How full the disks of the service's own files are, and what helps where there is little room. */
export function Room() {
  const { data = [] } = useQuery({ ...disksQuery, refetchInterval: STATE_MS })
  if (data.length === 0) return null
  const disks = distinct(data)
  return (
    <section className="card stack-tight storages-room" aria-labelledby="storages-room">
      <h2 id="storages-room">{text.title}</h2>
      <ul className="storages-disks">
        {disks.map(({ of, shared, state, free_bytes, size_bytes }) => (
          <li key={of}>
            <span>{shared ? text.both : text.of(of)}</span>
            <span className="dim">
              {text.free} <Bytes bytes={free_bytes} /> / <Bytes bytes={size_bytes} />
            </span>
            <Status tone={tones[state]}>{text.state(state)}</Status>
          </li>
        ))}
      </ul>
      {disks.some(({ state }) => state !== 'room') ? (
        <Help short={disks.some(({ state }) => state === 'short')} />
      ) : null}
    </section>
  )
}

const Help = ({ short }: { short: boolean }) => (
  <>
    <p>{short ? text.refused : text.soon}</p>
    <ol className="storages-steps">
      <li>
        <Anchor component={Link} to="/trash">
          {text.emptyTrash}
        </Anchor>{' '}
        {text.emptyTrashHint}
      </li>
      <li>
        <Anchor component={Link} to="/policies">
          {text.cleanUp}
        </Anchor>{' '}
        {text.cleanUpHint}
      </li>
      <li>
        <Anchor component={Link} to="/admin/storages/_new">
          {text.move}
        </Anchor>{' '}
        {text.moveHint}
      </li>
      <li>{text.enlarge}</li>
    </ol>
  </>
)

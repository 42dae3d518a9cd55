import { useQuery } from '@tanstack/react-query'
import type { Backup } from '../../../../contract/system.ts'
import { formatBytes, formatDuration } from '../../i18n.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { backupQuery } from './queries.ts'

const tones: Readonly<Record<Backup['state'], Tone>> = {
  off: 'warn',
  copying: 'note',
  following: 'ok',
  failing: 'bad',
  fenced: 'bad',
}

/** Whether the database has a copy elsewhere, and what would be lost of it now. */
export function Database() {
  const backup = useQuery(backupQuery)
  return (
    <section className="card stack-tight" aria-labelledby="recovery-database">
      <h2 id="recovery-database">{text.database}</h2>
      <StateView query={backup}>
        {(data) => (
          <>
            <p>
              <Status tone={tones[data.state]}>{text.backupState(data.state)}</Status>
            </p>
            {data.place === null ? <Off /> : <Followed backup={data} place={data.place} />}
          </>
        )}
      </StateView>
    </section>
  )
}

const Off = () => (
  <>
    <p className="warn">{text.databaseOff}</p>
    <p>{text.databaseHow}</p>
    <CopyField label={text.databaseHow} value="BACKUP_URL=s3://backups/strongroom/" mono />
  </>
)

function Followed({ backup, place }: { backup: Backup; place: string }) {
  const { state, moment, lag_seconds, error, base, waiting_bytes } = backup
  return (
    <>
      <ul className="recovery-sentences">
        {state === 'copying' ? <li>{text.databaseCopying(place)}</li> : null}
        {state === 'following' ? <li>{text.databaseFollows(place)}</li> : null}
        {state === 'fenced' ? <li className="bad">{text.databaseFenced}</li> : null}
        {state === 'failing' || error !== null ? (
          <li className="bad">
            {text.databaseFailing(place)} {error}
          </li>
        ) : null}
        {moment === null ? null : state === 'following' && lag_seconds !== null ? (
          <li>{text.databaseLoses(formatDuration(lag_seconds))}</li>
        ) : (
          <li>
            {text.databaseStill} <TimeAgo time={moment} />.
          </li>
        )}
        {waiting_bytes > 0 ? <li>{text.waiting(formatBytes(waiting_bytes))}</li> : null}
        {base === null ? null : (
          <li>
            {text.base(formatBytes(base.bytes))} <TimeAgo time={base.moment} />.
          </li>
        )}
      </ul>
      <p>{text.recover}</p>
      <CopyField label={text.recover} value={`strongroom recover --from ${place}`} mono />
    </>
  )
}

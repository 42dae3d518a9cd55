import { Button } from '@mantine/core'
import { IconArrowsExchange, IconCopyPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DEFAULT_STORAGE, type Mirror, type Storage } from '../../../../contract/storages.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { Health } from '../storages/Health.tsx'
import { storagesQuery } from '../storages/queries.ts'
import { MirrorDialog } from './MirrorDialog.tsx'
import { text } from './messages.ts'
import { LIVE_MS } from './queries.ts'

/** Where the copies of contents are, and how whole they are. */
export function Contents() {
  const storages = useQuery({ ...storagesQuery, refetchInterval: LIVE_MS })
  const [changed, setChanged] = useState<string>()
  return (
    <section className="card stack-tight" aria-labelledby="recovery-contents">
      <h2 id="recovery-contents">{text.contents}</h2>
      <StateView query={storages}>
        {(all) => {
          const mirrors = new Set(all.flatMap(({ mirror }) => mirror?.storage ?? []))
          // What lies on others is named where it is copied from; what shows others' objects has none of ours.
          const shown = all.filter(
            ({ name, mirror, used_bytes }) =>
              mirror !== null || name === DEFAULT_STORAGE || (used_bytes > 0 && !mirrors.has(name)),
          )
          const storage = all.find(({ name }) => name === changed)
          return (
            <>
              {shown.map((one) => (
                <Place key={one.name} storage={one} onChange={() => setChanged(one.name)} />
              ))}
              {storage ? (
                <MirrorDialog
                  storage={storage}
                  others={all.filter(({ name, enabled }) => name !== storage.name && enabled).map(({ name }) => name)}
                  onClose={() => setChanged(undefined)}
                />
              ) : null}
            </>
          )
        }}
      </StateView>
    </section>
  )
}

function Place({ storage, onChange }: { storage: Storage; onChange: () => void }) {
  const { name, mirror, served_by } = storage
  return (
    <div className="recovery-place">
      <h3>
        <bdi data-data>{name}</bdi> <Health storage={storage} />
      </h3>
      <ul className="recovery-sentences">
        {mirror === null ? (
          <li className="warn">{text.oneCopy(name)}</li>
        ) : (
          <>
            <Copies mirror={mirror} />
            <li>
              {text.acknowledges(mirror.acknowledge)}{' '}
              {mirror.acknowledge === 'both' ? text.whenDown(mirror.when_down) : null}
            </li>
            <li>{text.keeps(mirror.keep_removed_days)}</li>
            {mirror.locked ? <li>{text.locks(mirror.storage)}</li> : null}
            {served_by === null ? null : <li>{text.switched(served_by)}</li>}
            <li>{text.wayBack(name, mirror.storage)}</li>
          </>
        )}
        <Scrub scrub={storage.scrub} />
      </ul>
      <div className="recovery-actions">
        {mirror === null ? null : (
          <Button
            variant="default"
            leftSection={<IconArrowsExchange size={15} />}
            onClick={() => void failover(name, mirror)}
          >
            {text.switchTo(mirror.storage)}
          </Button>
        )}
        <Button
          variant={mirror === null ? 'filled' : 'default'}
          leftSection={<IconCopyPlus size={15} />}
          onClick={onChange}
        >
          {mirror === null ? text.setUp : text.change}
        </Button>
      </div>
    </div>
  )
}

function Copies({ mirror: { storage, complete, copies_due, due_since } }: { mirror: Mirror }) {
  if (copies_due > 0)
    return (
      <li className="warn">
        {complete ? null : `${text.filling(storage)} `}
        {text.due(copies_due, storage)} {text.oldest} <TimeAgo time={due_since} />.
      </li>
    )
  return complete ? (
    <li className="ok">{text.twoCopies(storage)}</li>
  ) : (
    <li className="warn">{text.filling(storage)}</li>
  )
}

function Scrub({ scrub }: { scrub: Storage['scrub'] }) {
  if (scrub === null) return <li>{text.neverRead}</li>
  const { started_at, finished_at, checked, damaged } = scrub
  if (finished_at === null)
    return (
      <li>
        {text.reading} <TimeAgo time={started_at} />.
      </li>
    )
  return (
    <li className={damaged > 0 ? 'bad' : undefined}>
      {damaged > 0 ? text.readDamaged(checked, damaged) : text.readWhole(checked)} (<TimeAgo time={finished_at} />){' '}
      {damaged > 0 ? (
        <Link to="/admin/audit" search={{ action: 'heal' }}>
          {text.repairs}
        </Link>
      ) : null}
    </li>
  )
}

async function failover(name: string, mirror: Mirror): Promise<void> {
  const lacks = !mirror.complete || mirror.copies_due > 0
  const yes = await confirm({
    title: text.switchTitle(name, mirror.storage),
    children: (
      <div className="stack-tight">
        <p>{text.switchText(name, mirror.storage)}</p>
        {lacks ? <p className="bad">{text.switchMissing(mirror.copies_due)}</p> : null}
      </div>
    ),
    action: text.switchDo,
    ...(lacks ? { typed: name } : {}),
  })
  if (!yes) return
  try {
    await client.failoverStorage({ params: { storage: name }, body: lacks ? { accept_missing: true } : {} })
    notify.ok(text.switchedTo(mirror.storage))
  } catch (error) {
    notify.problem(error)
  }
  await queries.invalidateQueries({ queryKey: ['storages'] })
}

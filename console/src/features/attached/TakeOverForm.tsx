import '../buckets/buckets.css'
import { Anchor, Button, Checkbox, NumberInput, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { TakeOver } from '../../../../contract/attached.ts'
import type { BucketSource } from '../../../../contract/buckets.ts'
import { MOST_QUIET_HOURS } from '../../../../contract/names.ts'
import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import { takeOverQuery } from '../../api/attached.ts'
import { describeProblem } from '../../api/problem.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { notify } from '../../ui/notify.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { storagesQuery } from '../storages/queries.ts'
import { takeOverText as text } from './messages.ts'

const PAUSE_MS = 300
const QUIET_HOURS = 24
const below = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[]

/** What taking over would do, what is in the way, and its start. `isBusy`: a scan runs. */
export function TakeOverForm({ bucket, source, isBusy }: { bucket: string; source: BucketSource; isBusy: boolean }) {
  const storages = useQuery(storagesQuery)
  const [storage, setStorage] = useState<string>(DEFAULT_STORAGE)
  const [hours, setHours] = useState<number | string>(QUIET_HOURS)
  const [isConfirmed, setConfirmed] = useState(false)
  const [starting, setStarting] = useState(false)
  /** As many as were named when they were given up. */
  const [leftOut, setLeftOut] = useState<number>()
  const plan = {
    ...(leftOut === undefined ? {} : { without_missing: leftOut }),
    storage,
    quiet_hours: typeof hours === 'number' ? hours : QUIET_HOURS,
  }
  const [asked] = useDebouncedValue(plan, PAUSE_MS)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery(takeOverQuery(bucket, asked))
  const isCurrent =
    !isPlaceholderData &&
    !isFetching &&
    asked.storage === storage &&
    asked.quiet_hours === plan.quiet_hours &&
    asked.without_missing === plan.without_missing
  const start = async () => {
    setStarting(true)
    try {
      await client.takeOverBucket({ params: { bucket }, body: plan })
      notify.ok(text.started)
    } catch (problem) {
      notify.problem(problem)
      await refetch()
    }
    await queries.invalidateQueries({ queryKey: ['scans', bucket] })
    setStarting(false)
  }
  const mayStart = data?.ready === true && isCurrent && isConfirmed && !isBusy && hours !== ''
  return (
    <form
      className="card stack take-over"
      aria-labelledby="take-over"
      onSubmit={(event) => {
        event.preventDefault()
        if (mayStart && !starting) void start()
      }}
    >
      <div className="stack-tight">
        <h2 id="take-over">{text.heading(bucket)}</h2>
        <p>{text.intro}</p>
      </div>
      <Facts source={source} plan={data} />
      <div className="take-over-pair">
        <Select
          label={text.storage}
          description={text.storageHint}
          inputWrapperOrder={below}
          data={(storages.data ?? []).filter(({ enabled }) => enabled).map(({ name }) => name)}
          value={storage}
          onChange={(value) => setStorage(value ?? DEFAULT_STORAGE)}
          allowDeselect={false}
        />
        <NumberInput
          label={text.quiet}
          description={text.quietHint}
          inputWrapperOrder={below}
          value={hours}
          onChange={setHours}
          min={0}
          max={MOST_QUIET_HOURS}
          clampBehavior="strict"
          allowDecimal={false}
          allowNegative={false}
          hideControls
        />
      </div>
      <div className="stack-tight">
        <h3>{text.happens}</h3>
        <ul className="bucket-notes">
          {[text.willCompare, text.willWork(storage), text.willDelete, text.willFind].map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
      <div className="take-over-state" aria-live="polite">
        <div className="grow stack-tight">
          {error ? (
            <>
              <h3>{text.failed}</h3>
              <p className="bad">{describeProblem(error).detail}</p>
            </>
          ) : data ? (
            <State plan={data} isBusy={isBusy} />
          ) : null}
        </div>
        <Button
          variant="default"
          leftSection={<IconRefresh size={15} />}
          loading={isFetching}
          onClick={() => void refetch()}
        >
          {text.checkAgain}
        </Button>
      </div>
      {data && (data.missing > 0 || leftOut !== undefined) ? (
        <Missing plan={data} leftOut={leftOut} onChange={setLeftOut} />
      ) : null}
      <Checkbox
        label={text.confirmed}
        description={text.confirmedHint}
        checked={isConfirmed}
        onChange={(event) => setConfirmed(event.currentTarget.checked)}
      />
      <div className="dialog-actions">
        <Button variant="default" component={Link} to={`/b/${bucket}/settings`}>
          {text.back}
        </Button>
        <Button type="submit" loading={starting} disabled={!mayStart}>
          {text.start}
        </Button>
      </div>
    </form>
  )
}

/** What is taken over, and from where. */
function Facts({ source, plan }: { source: BucketSource; plan: TakeOver | undefined }) {
  return (
    <dl className="facts">
      <dt>{text.place}</dt>
      <dd>
        <bdi dir="ltr" className="mono">
          {legible(`${source.bucket}/${source.prefix}`)}
        </bdi>{' '}
        <Anchor component={Link} to={`/admin/storages/${source.storage}`} data-data>
          {source.storage}
        </Anchor>
      </dd>
      <dt>{text.objects}</dt>
      <dd>{plan ? text.objectsOf(plan.objects, formatBytes(plan.bytes)) : '…'}</dd>
      <dt>{text.requests}</dt>
      <dd>{plan ? text.requestsOf(plan.unread) : '…'}</dd>
      <dt>{text.quietSince}</dt>
      <dd>{plan ? <TimeAgo time={plan.quiet_since} none={text.notScanned} /> : '…'}</dd>
    </dl>
  )
}

/** The objects that are marked as missing, which can be left out. */
function Missing({
  plan: { missing, missing_keys },
  leftOut,
  onChange,
}: {
  plan: TakeOver
  leftOut: number | undefined
  onChange: (leftOut: number | undefined) => void
}) {
  return (
    <section className="stack-tight" aria-labelledby="take-over-missing">
      <h3 id="take-over-missing">{text.missing(missing)}</h3>
      <ul className="bucket-notes">
        {missing_keys.map((key) => (
          <li key={key}>
            <bdi dir="auto" className="mono" data-data>
              {legible(key)}
            </bdi>
          </li>
        ))}
      </ul>
      {missing > missing_keys.length ? <p>{text.moreMissing(missing - missing_keys.length)}</p> : null}
      <Checkbox
        label={text.withoutMissing}
        description={text.withoutMissingHint}
        checked={leftOut !== undefined}
        onChange={(event) => onChange(event.currentTarget.checked ? missing : undefined)}
      />
    </section>
  )
}

/** Whether it can be taken over, and what is in the way. */
function State({ plan: { ready, problems }, isBusy }: { plan: TakeOver; isBusy: boolean }) {
  if (ready && isBusy) return <p className="warn">{text.busy}</p>
  if (ready)
    return (
      <div>
        <Status tone="ok">{text.ready}</Status>
      </div>
    )
  return (
    <>
      <h3>{text.notReady}</h3>
      <ul className="take-over-problems">
        {problems.map(({ code, detail }) => (
          <li key={code}>
            <Status tone="bad">{text.problem(code)}</Status>
            <p data-data>{detail}</p>
          </li>
        ))}
      </ul>
      {isBusy ? <p className="warn">{text.busy}</p> : null}
    </>
  )
}

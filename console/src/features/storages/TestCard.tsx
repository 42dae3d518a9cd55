import './storages.css'
import { Alert, Button } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import type { StorageCheck, StorageTest } from '../../../../contract/storages.ts'
import { describeProblem } from '../../api/problem.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Bytes, Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { testText as text } from './messages.ts'

interface Props {
  hint: string
  /** What is tested; once it differs, a result is an old one. */
  subject: string
  disabled?: boolean
  /** Undefined if the server refused to test. */
  ask: () => Promise<StorageTest | undefined>
}
interface Tested {
  subject: string
  test?: StorageTest | undefined
  problem?: unknown
}

/** Tests a storage and shows what was found. */
export function TestCard({ hint, subject, disabled = false, ask }: Props) {
  const [asking, setAsking] = useState(false)
  const [tested, setTested] = useState<Tested>()
  const run = async () => {
    setAsking(true)
    try {
      const test = await ask()
      setTested(test && { subject, test })
    } catch (problem) {
      setTested({ subject, problem })
    }
    setAsking(false)
  }
  return (
    <section className="card stack storages-test" aria-labelledby="storage-test">
      <div className="row storages-head">
        <div className="grow storages-grow">
          <h2 id="storage-test">{text.title}</h2>
          <p className="dim small">{hint}</p>
        </div>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={15} />}
          loading={asking}
          disabled={disabled}
          onClick={() => void run()}
        >
          {tested ? text.again : text.action}
        </Button>
      </div>
      <div aria-live="polite" className="storages-result" data-old={tested && tested.subject !== subject}>
        {tested && tested.subject !== subject ? <p className="warn small">{text.stale}</p> : null}
        {tested?.test ? <Result test={tested.test} /> : null}
        {tested?.problem === undefined ? null : <Problem error={tested.problem} />}
      </div>
    </section>
  )
}

function Problem({ error }: { error: unknown }) {
  const { title, detail } = describeProblem(error)
  return (
    <Alert role="alert" className="alert-bad" title={title}>
      {detail}
    </Alert>
  )
}

const tones: Readonly<Record<StorageCheck['status'], Tone>> = {
  passed: 'ok',
  warning: 'warn',
  failed: 'bad',
  skipped: 'idle',
}

function Result({ test: { ok, checks, preview } }: { test: StorageTest }) {
  const warned = checks.some(({ status }) => status === 'warning')
  return (
    <>
      <p className={ok ? (warned ? 'warn' : 'ok') : 'bad'}>
        <strong>{ok ? (warned ? text.warned : text.passed) : text.failed}</strong>
      </p>
      <ul className="storages-checks" aria-label={text.checks}>
        {checks.map(({ name, status, detail }) => (
          <li key={name}>
            <Status tone={tones[status]}>{text.status(status)}</Status>
            <div>
              {text.check(name)}
              <p className="dim small">{detail}</p>
            </div>
          </li>
        ))}
      </ul>
      {preview.length === 0 ? null : <Preview objects={preview} />}
    </>
  )
}

type Previewed = StorageTest['preview'][number]
const columns: readonly Column<Previewed>[] = [
  { key: 'key', title: text.key, cell: ({ key }) => <span className="mono">{key}</span> },
  { key: 'size', title: text.size, number: true, cell: ({ size }) => <Bytes bytes={size} /> },
  {
    key: 'modified',
    title: text.modified,
    optional: true,
    cell: ({ last_modified }) => <TimeAgo time={last_modified} none="–" />,
  },
]

const Preview = ({ objects }: { objects: readonly Previewed[] }) => (
  <div className="stack-tight">
    <h3>{text.preview}</h3>
    <ListTable label={text.preview} columns={columns} rows={objects} rowKey={({ key }) => key} />
  </div>
)

import './storages.css'
import { Alert } from '@mantine/core'
import type { StorageCheck, StorageTest } from '../../../../contract/storages.ts'
import { describeProblem } from '../../api/problem.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Bytes, Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { testText as text } from './messages.ts'

/** Why there was no test. */
export function TestProblem({ error }: { error: unknown }) {
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

/** What a test found: each check with its sentence, and the first objects. */
export function TestResult({ test: { ok, checks, preview } }: { test: StorageTest }) {
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
  { key: 'key', breaks: true, title: text.key, cell: ({ key }) => <span className="mono">{key}</span> },
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

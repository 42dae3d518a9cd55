import './storages.css'
import { Button } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import type { StorageTest } from '../../../../contract/storages.ts'
import { testText as text } from './messages.ts'
import { TestProblem, TestResult } from './TestResult.tsx'

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
        {tested?.test ? <TestResult test={tested.test} /> : null}
        {tested?.problem === undefined ? null : <TestProblem error={tested.problem} />}
      </div>
    </section>
  )
}

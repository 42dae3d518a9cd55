import { Button } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useState } from 'react'
import type { StorageTest } from '../../../../contract/storages.ts'
import { testText } from '../storages/messages.ts'
import { TestResult } from '../storages/TestResult.tsx'
import { text } from './messages.ts'
import type { Plan } from './plan.ts'

/** What the test of the place found. A failed check ends the way here. */
export function TestStep({
  plan,
  test,
  onBack,
  onNext,
}: {
  plan: Plan
  test: StorageTest
  onBack: () => void
  onNext: () => void
}) {
  const [testing, setTesting] = useState(false)
  const again = async () => {
    setTesting(true)
    await plan.ask()
    setTesting(false)
  }
  const isWarned = test.checks.some(({ status }) => status === 'warning')
  return (
    <section className="card stack step-card" tabIndex={-1} aria-labelledby="attach-test">
      <div className="row attach-head">
        <div className="grow">
          <h2 id="attach-test">{testText.title}</h2>
          <p className="dim small attach-place">{text.testHint(plan.location)}</p>
        </div>
        <Button
          variant="default"
          leftSection={<IconRefresh size={15} />}
          loading={testing}
          onClick={() => void again()}
        >
          {text.testAgain}
        </Button>
      </div>
      <div className="storages-result" aria-live="polite">
        <TestResult test={test} />
        {test.ok && test.preview.length === 0 ? <p className="dim">{text.noObjects}</p> : null}
        {test.ok ? null : <p className="bad">{text.testFailed}</p>}
        {test.ok && isWarned ? <p className="warn">{text.testWarned}</p> : null}
      </div>
      <div className="dialog-actions">
        <Button variant="default" onClick={onBack}>
          {text.back}
        </Button>
        <Button disabled={!test.ok || testing} onClick={onNext}>
          {text.next}
        </Button>
      </div>
    </section>
  )
}

import './attached.css'
import { useState } from 'react'
import { useMe } from '../../api/queries.ts'
import { useView } from '../../navigation/useView.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StepList, useStepFocus } from '../../ui/StepList.tsx'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { FirstScan } from './FirstScan.tsx'
import { text } from './messages.ts'
import { NameStep } from './NameStep.tsx'
import { PlaceStep } from './PlaceStep.tsx'
import { lastStep, type Step, steps, usePlan } from './plan.ts'
import { TestStep } from './TestStep.tsx'

/** Attaches a bucket of an S3 engine in four steps. The step is in the address; what was entered stays in this page. */
export default function Attach() {
  const me = useMe()
  return (
    <Page
      title={text.title}
      hint={me.isAdmin ? text.hint : undefined}
      {...(me.isAdmin && {
        call: {
          operation: 'createBucket',
          body: { name: 'photos', mode: 'read_only', storage: 'nas' },
        } as const,
      })}
    >
      {me.isAdmin ? <Steps /> : <ForbiddenView right={text.right} />}
    </Page>
  )
}

function Steps() {
  const { search, open, change } = useView()
  const plan = usePlan(search.storage)
  const [made, setMade] = useState<string>()
  const bucket = made ?? search.bucket
  useLeaveGuard(plan.isTouched && bucket === undefined)
  const last = lastStep(plan)
  const wanted = steps.find((step) => step === search.step) ?? 'place'
  const step: Step = bucket !== undefined ? 'scan' : steps.indexOf(wanted) > steps.indexOf(last) ? last : wanted
  const frame = useStepFocus(step)
  const show = (next: Step) => void open({ step: next === 'place' ? undefined : next })
  return (
    <div className="attach" ref={frame}>
      <StepList steps={steps} step={step} labelOf={text.step} onOpen={bucket === undefined ? show : undefined} />
      {step === 'place' ? <PlaceStep plan={plan} onTested={() => show('test')} /> : null}
      {step === 'test' && plan.test ? (
        <TestStep
          plan={plan}
          test={plan.test}
          onBack={() => show('place')}
          onNext={() => {
            plan.propose()
            show('name')
          }}
        />
      ) : null}
      {step === 'name' ? (
        <NameStep
          plan={plan}
          onBack={() => show('test')}
          onAttached={(name) => {
            setMade(name)
            void change({ step: undefined, storage: undefined, bucket: name })
          }}
        />
      ) : null}
      {step === 'scan' && bucket !== undefined ? <FirstScan bucket={bucket} /> : null}
    </div>
  )
}

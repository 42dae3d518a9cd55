import './attached.css'
import { IconCheck } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useMe } from '../../api/queries.ts'
import { useView } from '../../navigation.ts'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
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
  // What had the focus is gone with the step before.
  const frame = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current !== step) {
      frame.current?.querySelector<HTMLElement>('.attach-step')?.focus({ preventScroll: true })
      frame.current?.closest('.content')?.scrollTo(0, 0)
    }
    shown.current = step
  }, [step])
  const show = (next: Step) => void open({ step: next === 'place' ? undefined : next })
  return (
    <div className="attach" ref={frame}>
      <ol className="attach-steps" aria-label={text.steps}>
        {steps.map((one, i) => {
          const isDone = i < steps.indexOf(step)
          const words = (
            <>
              <span className="attach-number" aria-hidden>
                {isDone ? <IconCheck size={13} stroke={2.4} /> : i + 1}
              </span>
              {text.step(one)}
              {isDone ? <span className="visually-hidden"> ({text.done})</span> : null}
            </>
          )
          return (
            <li key={one} data-done={isDone || undefined} aria-current={one === step ? 'step' : undefined}>
              {isDone && bucket === undefined ? (
                <button type="button" onClick={() => show(one)}>
                  {words}
                </button>
              ) : (
                <span>{words}</span>
              )}
            </li>
          )
        })}
      </ol>
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

import { IconCheck } from '@tabler/icons-react'
import { type RefObject, useEffect, useRef } from 'react'
import { text } from './messages.ts'
import './steps.css'

/** The steps of a task in order; finished ones are buttons if `onOpen` is given. */
export function StepList<S extends string>({
  steps,
  step,
  labelOf,
  onOpen,
}: {
  steps: readonly S[]
  /** The open one. */
  step: S
  labelOf: (step: S) => string
  onOpen?: ((step: S) => void) | undefined
}) {
  const at = steps.indexOf(step)
  return (
    <ol className="steps" aria-label={text.steps}>
      {steps.map((one, i) => {
        const isDone = i < at
        const words = (
          <>
            <span className="steps-number" aria-hidden>
              {isDone ? <IconCheck size={13} stroke={2.4} /> : i + 1}
            </span>
            {labelOf(one)}
            {isDone ? <span className="visually-hidden"> ({text.stepDone})</span> : null}
          </>
        )
        return (
          <li key={one} data-done={isDone || undefined} aria-current={one === step ? 'step' : undefined}>
            {isDone && onOpen ? (
              <button type="button" onClick={() => onOpen(one)}>
                {words}
              </button>
            ) : (
              <span>{words}</span>
            )}
          </li>
        )
      })}
    </ol>
  )
}

/**
 * Moves the focus to the element of the class `step-card` in this frame when another step opens, because what had it
 * is gone with the step before.
 */
export function useStepFocus(step: string): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current !== step) {
      frame.current?.querySelector<HTMLElement>('.step-card')?.focus({ preventScroll: true })
      frame.current?.closest('.content')?.scrollTo(0, 0)
    }
    shown.current = step
  }, [step])
  return frame
}

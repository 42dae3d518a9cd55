import { lazy, Suspense, useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { type Challenge, challengeOf } from '../second-factor/challenge.ts'
import { text as secondFactor } from '../second-factor/messages.ts'
import { Card } from './Card.tsx'
import { text } from './messages.ts'

const SecondStep = lazy(() => import('../second-factor/SecondStep.tsx'))
const Enroll = lazy(() => import('../second-factor/Enroll.tsx'))
const ReplacePassword = lazy(() => import('./ReplacePassword.tsx'))

/** What a sign-in still needs once the password was right, one step after the other. */
export function NextStep({
  challenge,
  email,
  onDone,
  onAgain,
}: {
  challenge: Challenge
  email: string
  onDone: (tokens: TokenPair) => Promise<unknown>
  onAgain: () => void
}) {
  const [now, setNow] = useState(challenge)
  /** The password was chosen, and the second step is asked for. */
  const [isChosen, setChosen] = useState(false)
  const steps = { verify: SecondStep, enroll: Enroll, password: ReplacePassword }
  const Step = steps[now.step]
  const replaced = (error: unknown): boolean => {
    const next = challengeOf(error)
    if (next) setNow(next)
    return next !== undefined
  }
  return (
    <Card title={now.step === 'password' && !isChosen ? text.replaceTitle : secondFactor.title}>
      <Suspense fallback={null}>
        <Step
          key={now.challenge}
          challenge={now}
          email={email}
          onDone={onDone}
          onAgain={onAgain}
          isChosen={isChosen}
          onChosen={setChosen}
          onChallenge={replaced}
        />
      </Suspense>
    </Card>
  )
}

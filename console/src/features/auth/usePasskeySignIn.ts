import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { ProblemError } from '../../api/problem.ts'
import { beginPasskeySignIn, explainSignIn, signInWithPasskey } from '../second-factor/passkeySignIn.ts'
import { stopPasskeys, suggestsPasskeys } from '../second-factor/passkeys.ts'

/** How long before a waiting challenge expires it is replaced, in seconds. */
const SOONER = 60

/**
 * Signing in with a passkey alone: passkeys are suggested in the field for the email, as long as the page shows it, and the
 * function returned has the browser ask for one.
 */
export function usePasskeySignIn({
  offered,
  onDone,
  onProblem,
}: {
  /** Whether the service and this browser have passkeys here. */
  offered: boolean
  onDone: (tokens: TokenPair) => Promise<unknown>
  onProblem: (problem: string | undefined) => void
}): { ask: () => Promise<void>; asking: boolean } {
  const [round, setRound] = useState(0)
  const [asking, setAsking] = useState(false)
  const isAsking = useRef(false)
  const done = useEffectEvent(onDone)
  const fail = useEffectEvent((error: unknown) => onProblem(explainSignIn(error)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round offers them anew
  useEffect(() => {
    if (!offered) return
    let over = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = () => setRound((n) => n + 1)
    const suggest = async () => {
      if (!(await suggestsPasskeys()) || over) return
      const begun = await beginPasskeySignIn()
      if (over) return
      timer = setTimeout(() => (isAsking.current ? undefined : again()), (begun.expires_in - SOONER) * 1000)
      const signed = await signInWithPasskey(begun, true).catch((error: unknown) => {
        // What was not picked, or was ended by the button, is no failure; what the server refused is.
        if (over || isAsking.current || !(error instanceof ProblemError)) return undefined
        fail(error)
        again()
        return undefined
      })
      if (signed && !over) await done(signed)
    }
    // Without suggestions, the button is still there.
    void suggest().catch(() => undefined)
    return () => {
      over = true
      clearTimeout(timer)
      if (!isAsking.current) void stopPasskeys()
    }
  }, [offered, round])

  const ask = async () => {
    isAsking.current = true
    setAsking(true)
    onProblem(undefined)
    try {
      await onDone(await signInWithPasskey(await beginPasskeySignIn()))
    } catch (error) {
      onProblem(explainSignIn(error))
      isAsking.current = false
      setAsking(false)
      setRound((n) => n + 1)
    }
  }
  return { ask, asking }
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { statusOf } from '../api/problem.ts'
import { meQuery } from '../api/queries.ts'
import { isAway, onReach } from '../api/reach.ts'
import { hasToken, onSessionEnd, renew } from '../api/session.ts'
import { followLanguage } from '../language.ts'
import { useView } from '../navigation/useView.ts'
import { ProblemView } from '../ui/ProblemView.tsx'

const SignInAgain = lazy(() => import('./SignInAgain.tsx'))

/** Lets signed-in users through. Others go to sign-in, which returns them here. */
export function Gate({ children }: { children: ReactNode }) {
  const cache = useQueryClient()
  const { go } = useView()
  const [ready, setReady] = useState(hasToken)
  const [failure, setFailure] = useState<unknown>()
  const me = useQuery({ ...meQuery, enabled: ready })

  /** The session has expired while the user was working: the view stays, with all that was typed into it. */
  const [isExpired, setExpired] = useState(false)
  const leave = useEffectEvent((signedOut = false) => {
    setReady(false)
    setExpired(false)
    cache.clear()
    const next = location.pathname.replace(/^\/console/, '') + location.search
    void go('/login', { ...(next === '/' || next === '' ? {} : { next }), ...(signedOut ? { out: '1' } : {}) })
  })
  const onEnd = useEffectEvent((signedOut: boolean) => (signedOut || !me.data ? leave(signedOut) : setExpired(true)))
  useEffect(() => {
    // A response that arrives after the user has left must not clear the sign-in page.
    const ignoreEnd = onSessionEnd((signedOut) => onEnd(signedOut))
    if (hasToken()) return ignoreEnd
    const enter = () => renew().then((signedIn) => (signedIn ? setReady(true) : leave()), setFailure)
    void enter()
    const ignoreReach = onReach(() => {
      if (!isAway() && !hasToken()) void enter()
    })
    return () => {
      ignoreEnd()
      ignoreReach()
    }
  }, [])

  /** The account's language comes before anything else of it. One chosen elsewhere later waits for the next page load. */
  const [isSpoken, setSpoken] = useState(false)
  useEffect(() => {
    if (me.data && !isSpoken && !followLanguage(me.data.language)) setSpoken(true)
  }, [me.data, isSpoken])

  const permissions = me.data?.permissions
  const known = useRef(permissions)
  useEffect(() => {
    // With other permissions, lists may show more or less.
    if (known.current && permissions && known.current !== permissions)
      void cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
    known.current = permissions
  }, [permissions, cache])

  if (failure !== undefined && !ready)
    return (
      <main className="alone">
        <ProblemView heading="h1" error={failure} retry={() => location.reload()} />
      </main>
    )
  if (me.error && !me.data && statusOf(me.error) !== 401)
    return (
      <main className="alone">
        <ProblemView heading="h1" error={me.error} retry={me.refetch} />
      </main>
    )
  if (!ready || !me.data || !isSpoken) return null
  return (
    <>
      {children}
      {isExpired ? (
        <Suspense fallback={null}>
          <SignInAgain
            onDone={() => {
              setExpired(false)
              void cache.invalidateQueries()
            }}
          />
        </Suspense>
      ) : null}
    </>
  )
}

import { Button, Loader } from '@mantine/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { errors } from '../../../../contract/errors.ts'
import { sentenceOf, titleOf } from '../../api/problem.ts'
import { publicClient, takeTokens } from '../../api/session.ts'
import { titled } from '../../branding.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { text } from './messages.ts'
import { safeNext } from './next.ts'
import { useEnter } from './useEnter.ts'

/** Explains a failed sign-in by the error code in the address. */
const wordsOf = (code: string | null): string => {
  const known: Readonly<Record<string, { title: string }>> = errors
  const english = known[code ?? '']?.title
  const title = english && titleOf(code ?? '', english)
  if (code === 'user_not_provisioned') return `${title}. ${text.notProvisionedHint}`
  return title === undefined ? text.failedHint : `${title}.`
}

/** Where sign-in through the identity provider ends: exchanges the one-time code in the fragment for a session. */
export default function Callback() {
  const { search } = useView()
  const enter = useEnter()
  const [problem, setProblem] = useState<string>()
  const begun = useRef(false)
  const finish = useEffectEvent(async (fragment: URLSearchParams) => {
    const code = fragment.get('code')
    if (!code) return setProblem(wordsOf(fragment.get('error')))
    takeTokens(await publicClient.redeemHandoff({ query: { session: 'cookie' }, body: { code } }))
    await enter(safeNext(search.next))
  })
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    document.title = titled(text.finishing)
    const fragment = new URLSearchParams(location.hash.slice(1))
    history.replaceState(null, '', location.pathname + location.search)
    finish(fragment).catch((error: unknown) => setProblem(sentenceOf(error)))
  }, [])
  return (
    <main className="login">
      <div className="login-card">
        {problem === undefined ? (
          <p role="status" className="row">
            <Loader size="sm" /> {text.finishing}
          </p>
        ) : (
          <>
            <h1>{text.failed}</h1>
            <FormProblem>{problem}</FormProblem>
            <Button component={Link} to="/login">
              {text.again}
            </Button>
          </>
        )}
      </div>
    </main>
  )
}

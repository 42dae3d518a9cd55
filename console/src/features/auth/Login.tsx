import { Alert, Button, Divider, PasswordInput, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { sentenceOf } from '../../api/problem.ts'
import { authConfigQuery } from '../../api/queries.ts'
import { client, publicClient, renew, takeTokens } from '../../api/session.ts'
import { titled } from '../../branding.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { type Challenge, challengeOf } from '../second-factor/challenge.ts'
import { hasPasskeys } from '../second-factor/passkeys.ts'
import { Card } from './Card.tsx'
import { FindLink } from './FindLink.tsx'
import { text } from './messages.ts'
import { NextStep } from './NextStep.tsx'
import { safeNext } from './next.ts'
import { useEnter } from './useEnter.ts'
import { usePasskeySignIn } from './usePasskeySignIn.ts'

/** The sign-in page with the enabled methods. */
export default function Login() {
  const { search } = useView()
  const config = useQuery(authConfigQuery)
  const {
    local = false,
    idp = false,
    idp_name = null,
    passkeys = false,
    setup_required = false,
    first_sign_in = false,
  } = config.data ?? {}
  const [problem, setProblem] = useState<string>()
  const [sending, setSending] = useState(false)
  const [asked, setAsked] = useState<Challenge & { email: string }>()
  const next = safeNext(search.next)

  const enterAt = useEnter()
  const enter = useEffectEvent(() => enterAt(next))
  useEffect(() => {
    document.title = titled(text.title)
    // Skips sign-in for users who are already signed in.
    renew().then(
      (signedIn) => (signedIn ? enter() : undefined),
      () => undefined,
    )
  }, [])

  const attempt = async (work: () => Promise<void>) => {
    setSending(true)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(sentenceOf(error))
      setSending(false)
    }
  }
  const signIn = (form: FormData) =>
    attempt(async () => {
      const body = { username: String(form.get('username')), password: String(form.get('password')) }
      try {
        takeTokens(await publicClient.login({ query: { session: 'cookie' }, body }))
      } catch (error) {
        const challenge = challengeOf(error)
        if (!challenge) throw error
        setAsked({ ...challenge, email: body.username })
        return setSending(false)
      }
      await enter()
    })
  const finish = (tokens: TokenPair) => {
    takeTokens(tokens)
    return enter()
  }
  const byPasskey = passkeys && hasPasskeys()
  const passkey = usePasskeySignIn({
    offered: byPasskey && asked === undefined && !setup_required,
    onDone: finish,
    onProblem: setProblem,
  })
  const throughProvider = () =>
    attempt(async () => {
      const return_to = `/console/auth/callback?${new URLSearchParams({ next })}`
      const { auth_url } = await client.idpLogin({ query: { return_to } })
      location.assign(auth_url)
    })

  if (asked)
    return <NextStep challenge={asked} email={asked.email} onDone={finish} onAgain={() => setAsked(undefined)} />
  return (
    <Card title={text.title}>
      {search.next && search.out === undefined && !problem && !setup_required ? (
        <Alert role="status">{text.sessionEnded}</Alert>
      ) : null}
      <FormProblem>{problem}</FormProblem>
      {config.error ? <ProblemView error={config.error} retry={config.refetch} /> : null}
      {config.data ? (
        <>
          {setup_required ? <FindLink /> : null}
          {local ? (
            <form
              className="stack"
              onSubmit={(event) => {
                event.preventDefault()
                void signIn(new FormData(event.currentTarget))
              }}
            >
              <TextInput
                name="username"
                type="email"
                label={text.email}
                autoComplete={byPasskey ? 'username webauthn' : 'username'}
                required
                withAsterisk={false}
                size="md"
                autoFocus
              />
              <PasswordInput
                name="password"
                label={text.password}
                autoComplete="current-password"
                required
                withAsterisk={false}
                size="md"
              />
              <Link to="/forgot-password" className="login-forgot small">
                {text.forgot}
              </Link>
              <Button type="submit" loading={sending} disabled={passkey.asking} size="md" fullWidth>
                {text.signIn}
              </Button>
            </form>
          ) : null}
          {byPasskey || (local && idp) ? <Divider label={text.or} /> : null}
          {byPasskey ? (
            <Button
              variant="default"
              size="md"
              fullWidth
              leftSection={<IconFingerprint size={18} />}
              loading={passkey.asking}
              disabled={sending}
              onClick={() => void passkey.ask()}
            >
              {text.passkeySignIn}
            </Button>
          ) : null}
          {idp ? (
            <Button
              variant={local ? 'default' : 'filled'}
              size="md"
              fullWidth
              disabled={sending}
              onClick={throughProvider}
            >
              {text.continueWith(idp_name ?? text.provider)}
            </Button>
          ) : null}
          {local || idp ? null : (
            <Alert title={text.bothOff} role="status">
              {text.bothOffHint}
            </Alert>
          )}
          {local && first_sign_in && !setup_required ? <p className="dim small">{text.firstStart}</p> : null}
        </>
      ) : null}
    </Card>
  )
}

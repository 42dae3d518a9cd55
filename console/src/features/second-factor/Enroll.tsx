import './second-factor.css'
import { Button } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import type { Enrollment } from '../../../../contract/second-factor.ts'
import { publicClient } from '../../api/session.ts'
import { FormProblem } from '../../ui/FormProblem.tsx'
import AppKey from './AppKey.tsx'
import { CodeField } from './CodeField.tsx'
import { type Challenge, digitsOf, explain, isCode } from './challenge.ts'
import { text } from './messages.ts'
import { createPasskey, hasPasskeys } from './passkeys.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'

/** Sets up the second step that a sign-in needs, and shows the recovery codes before it ends. */
export default function Enroll({
  challenge: { challenge, methods },
  email,
  onDone,
  onAgain,
}: {
  challenge: Challenge
  email: string
  onDone: (tokens: TokenPair) => Promise<unknown> | undefined
  onAgain: () => void
}) {
  const [app, setApp] = useState<Enrollment['totp']>(null)
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [sending, setSending] = useState<'app' | 'passkey'>()
  const [made, setMade] = useState<TokenPair & { recovery_codes: string[] }>()
  const byPasskey = methods.includes('passkey') && hasPasskeys()

  const attempt = async (what: 'app' | 'passkey', work: () => Promise<void>) => {
    setSending(what)
    setProblem(undefined)
    try {
      await work()
    } catch (error) {
      setProblem(explain(error))
      setCode('')
    }
    setSending(undefined)
  }
  const finish = async (body: Parameters<typeof publicClient.finishLoginEnrollment>[0]['body']) =>
    setMade(await publicClient.finishLoginEnrollment({ query: { session: 'cookie' }, body }))
  const startApp = () =>
    attempt('app', async () =>
      setApp((await publicClient.beginLoginEnrollment({ body: { challenge, kind: 'totp' } })).totp),
    )
  const addPasskey = () =>
    attempt('passkey', async () => {
      const { passkey } = await publicClient.beginLoginEnrollment({ body: { challenge, kind: 'passkey' } })
      if (passkey) await finish({ challenge, passkey: await createPasskey(passkey) })
    })
  return (
    <>
      <FormProblem>{problem}</FormProblem>
      {app === null ? (
        <>
          <p className="dim">{text.requiredHint}</p>
          <Button
            size="md"
            fullWidth
            leftSection={<IconDeviceMobile size={18} />}
            loading={sending === 'app'}
            onClick={() => void startApp()}
          >
            {text.useApp}
          </Button>
          {byPasskey ? (
            <Button
              size="md"
              fullWidth
              variant="default"
              leftSection={<IconFingerprint size={18} />}
              loading={sending === 'passkey'}
              onClick={() => void addPasskey()}
            >
              {text.createPasskey}
            </Button>
          ) : (
            <p className="dim small">{text.noPasskeys}</p>
          )}
          <Button variant="subtle" onClick={onAgain}>
            {text.again}
          </Button>
        </>
      ) : (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (isCode(code)) void attempt('app', () => finish({ challenge, otp: digitsOf(code) }))
          }}
        >
          <AppKey {...app} />
          <CodeField value={code} onChange={setCode} />
          <Button type="submit" size="md" fullWidth loading={sending === 'app'} disabled={!isCode(code)}>
            {text.verify}
          </Button>
          <Button variant="subtle" onClick={() => setApp(null)}>
            {text.back}
          </Button>
        </form>
      )}
      {made ? <RecoveryCodes codes={made.recovery_codes} email={email} onClose={() => void onDone(made)} /> : null}
    </>
  )
}

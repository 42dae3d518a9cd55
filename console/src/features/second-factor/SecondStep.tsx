import { Button, Divider, TextInput } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import type { TokenPair } from '../../../../contract/auth.ts'
import { publicClient } from '../../api/session.ts'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { CodeField } from './CodeField.tsx'
import { type Challenge, digitsOf, explain, isCode } from './challenge.ts'
import { text } from './messages.ts'
import { hasPasskeys, signWithPasskey } from './passkeys.ts'

export type Answer = Omit<Parameters<typeof publicClient.verifyLogin>[0]['body'], 'challenge'>

/** The second step of a sign-in: a code, a passkey or a recovery code. */
export default function SecondStep({
  challenge: { challenge, methods, passkey },
  send: answerWith = (answer) =>
    publicClient.verifyLogin({ query: { session: 'cookie' }, body: { challenge, ...answer } }),
  onDone,
  onAgain,
}: {
  challenge: Challenge
  /** Answers the challenge; default: that of a sign-in that needs nothing else. */
  send?: (answer: Answer) => Promise<TokenPair>
  email?: string
  onDone: (tokens: TokenPair) => Promise<unknown> | undefined
  onAgain: () => void
}) {
  const byApp = methods.includes('totp')
  const byPasskey = passkey !== undefined && hasPasskeys()
  const byRecovery = methods.includes('recovery_code')
  const [recovering, setRecovering] = useState(!byApp && !byPasskey && byRecovery)
  const [code, setCode] = useState('')
  const [problem, setProblem] = useState<string>()
  const [sending, setSending] = useState<'code' | 'passkey'>()

  const send = async (by: 'code' | 'passkey', answer: () => Answer | Promise<Answer>) => {
    setSending(by)
    setProblem(undefined)
    try {
      await onDone(await answerWith(await answer()))
    } catch (error) {
      setProblem(explain(error))
      setCode('')
      setSending(undefined)
    }
  }
  const change = (next: boolean) => {
    setRecovering(next)
    setCode('')
    setProblem(undefined)
  }
  return (
    <>
      <FormProblem>{problem}</FormProblem>
      {recovering || byApp ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            if (recovering ? code.trim() !== '' : isCode(code))
              void send('code', () => (recovering ? { recovery_code: code } : { otp: digitsOf(code) }))
          }}
        >
          <p className="dim">{recovering ? text.recoveryHint : text.codeHint}</p>
          {recovering ? (
            <TextInput
              key="recovery"
              label={text.recoveryCode}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              maxLength={64}
              size="md"
              autoFocus
            />
          ) : (
            <CodeField key="code" value={code} onChange={setCode} focused />
          )}
          <Button
            type="submit"
            size="md"
            fullWidth
            loading={sending === 'code'}
            disabled={recovering ? code.trim() === '' : !isCode(code)}
          >
            {text.verify}
          </Button>
        </form>
      ) : null}
      {byPasskey && !recovering ? (
        <>
          {byApp ? <Divider label={text.or} /> : null}
          <Button
            size="md"
            fullWidth
            variant={byApp ? 'default' : 'filled'}
            leftSection={<IconFingerprint size={18} />}
            loading={sending === 'passkey'}
            onClick={() => void send('passkey', async () => ({ passkey: await signWithPasskey(passkey) }))}
          >
            {text.usePasskey}
          </Button>
        </>
      ) : null}
      {byApp || byPasskey || byRecovery ? null : <p>{text.noWay}</p>}
      <div className="stack-tight">
        {recovering && (byApp || byPasskey) ? (
          <Button variant="subtle" onClick={() => change(false)}>
            {text.otherWay}
          </Button>
        ) : null}
        {!recovering && byRecovery ? (
          <Button variant="subtle" onClick={() => change(true)}>
            {text.useRecovery}
          </Button>
        ) : null}
        <Button variant="subtle" onClick={onAgain}>
          {text.again}
        </Button>
      </div>
    </>
  )
}

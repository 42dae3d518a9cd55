import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { codeOf, sentenceOf } from '../../api/problem.ts'
import { authConfigQuery } from '../../api/queries.ts'
import { publicClient, takeTokens } from '../../api/session.ts'
import { titled } from '../../branding.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { FormProblem } from '../../ui/FormProblem.tsx'
import { text as shared } from '../../ui/messages.ts'
import { ProblemView } from '../../ui/ProblemView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { Status } from '../../ui/values.tsx'
import { Card } from './Card.tsx'
import { FindLink } from './FindLink.tsx'
import { text } from './messages.ts'
import { bytesOf, fits } from './password.ts'
import { useEnter } from './useEnter.ts'

/** The first run: whoever has the link from the log creates the first administrator. */
export default function Setup() {
  const config = useQuery({ ...authConfigQuery, staleTime: 0 })
  const [token] = useState(() => location.hash.slice(1))
  useEffect(() => {
    document.title = titled(text.setupTitle)
  }, [])
  const waits = config.data?.setup_required
  return (
    <Card title={waits === false ? text.setUpAlready : text.setupTitle}>
      {config.error ? <ProblemView error={config.error} retry={config.refetch} /> : null}
      {waits === false ? (
        <>
          <p className="dim">{text.setUpAlreadyHint}</p>
          <ToLogin>{text.signIn}</ToLogin>
        </>
      ) : null}
      {waits && token === '' ? <FindLink /> : null}
      {waits && token !== '' ? (
        <>
          <p className="dim">{text.setupHint}</p>
          <Readiness />
          <NewAdmin token={token} />
        </>
      ) : null}
    </Card>
  )
}

const ToLogin = ({ children }: { children: ReactNode }) => (
  <Button component={Link} to="/login" size="md" fullWidth>
    {children}
  </Button>
)

/** Whether the database and storage respond, so that problems are fixed before there is data. */
function Readiness() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['readyz'],
    queryFn: () => publicClient.readyz(),
    refetchOnWindowFocus: 'always',
  })
  if (error) return <ProblemView error={error} retry={refetch} />
  const checks = [
    [text.database, data?.database],
    [text.storage, data?.storage],
  ] as const
  return (
    <div className="setup-checks">
      <dl>
        {checks.map(([name, check]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {check ? (
                <Status tone={check.ok ? 'ok' : 'bad'}>{check.ok ? text.answers : (check.error ?? text.silent)}</Status>
              ) : (
                <span className="dim">{text.asking}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {data && data.status !== 'ready' ? (
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          {shared.retry}
        </Button>
      ) : null}
    </div>
  )
}

function NewAdmin({ token }: { token: string }) {
  const { go } = useView()
  const cache = useQueryClient()
  const enter = useEnter()
  const form = useForm({ email: '', display_name: '', password: '' })
  const [dead, setDead] = useState<string>()
  const { email, display_name, password } = form.values
  const create = () =>
    form.submit(
      async () => {
        const body = { token, email, password, ...(display_name.trim() ? { display_name } : {}) }
        try {
          takeTokens(await publicClient.setUp({ query: { session: 'cookie' }, body }))
        } catch (error) {
          // The account exists; its sign-in shows what is left to do.
          if (codeOf(error) === 'second_factor_enrollment_required') return await go('/login')
          if (codeOf(error) !== 'gone') throw error
          return setDead(sentenceOf(error))
        }
        await cache.invalidateQueries(authConfigQuery)
        await enter()
      },
      { already_exists: 'email' },
    )
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <FormProblem>{dead}</FormProblem>
      <TextInput
        {...form.field('email')}
        type="email"
        label={text.adminEmail}
        autoComplete="username"
        required
        withAsterisk={false}
        size="md"
        autoFocus
      />
      <TextInput
        {...form.field('display_name')}
        label={text.name}
        placeholder="Administrator"
        autoComplete="name"
        size="md"
      />
      <PasswordInput
        {...form.field('password')}
        label={text.password}
        description={text.passwordRule(bytesOf(password))}
        autoComplete="new-password"
        required
        withAsterisk={false}
        size="md"
      />
      <Button type="submit" size="md" fullWidth loading={form.sending} disabled={!fits(password) || email === ''}>
        {text.createAdmin}
      </Button>
    </form>
  )
}

import { Anchor, Button } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import type { Attention } from '../../../../contract/attention.ts'
import type { Bucket } from '../../../../contract/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { setPreferences, usePreferences } from '../../preferences.ts'
import { text } from './messages.ts'

interface Step {
  id: 'password' | 'bucket' | 'people' | 'sso' | 'client' | 'webhook'
  done: boolean
  to: string
  search?: Record<string, string>
}

/** What administrators of a new installation do first, until all of it is done or they hide it. */
export function FirstSteps({ buckets, found }: { buckets: readonly Bucket[]; found: Attention | undefined }) {
  const me = useMe()
  const { checklist } = usePreferences()
  const first = found?.administration?.first_steps
  if (!checklist || !first) return null
  const steps: Step[] = [
    ...(me.password_generated === null
      ? []
      : [{ id: 'password', done: !me.password_generated, to: '/account', search: { change: 'password' } } as const]),
    { id: 'bucket', done: buckets.length > 0, to: '/buckets', search: { new: '1' } },
    { id: 'people', done: first.users, to: '/admin/users' },
    { id: 'sso', done: first.sso, to: '/admin/settings/sso' },
    ...(me.s3 === null ? [] : [{ id: 'client', done: first.access_key, to: '/access-keys/new' } as const]),
    { id: 'webhook', done: first.webhook, to: '/admin/webhooks/new' },
  ]
  const done = steps.filter((step) => step.done).length
  if (done === steps.length) return null
  return (
    <section className="card stack-tight" aria-labelledby="first-steps">
      <header className="row">
        <h2 id="first-steps">{text.firstSteps}</h2>
        <span className="dim">{text.progress(done, steps.length)}</span>
        <span className="grow" />
        <Button variant="subtle" onClick={() => setPreferences({ checklist: false })}>
          {text.hide}
        </Button>
      </header>
      <ul className="home-steps">
        {steps.map(({ id, done, to, search }) => (
          <li key={id} data-done={done || undefined}>
            {done ? (
              <IconCircleCheckFilled size={18} role="img" aria-label={text.done} />
            ) : (
              <IconCircle size={18} role="img" aria-label={text.open} />
            )}
            <span>
              {done ? (
                <span className="dim">{text[id]}</span>
              ) : (
                <Anchor component={Link} to={to} search={search ?? {}}>
                  {text[id]}
                </Anchor>
              )}
              <span className="dim small">{text[`${id}Hint`]}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

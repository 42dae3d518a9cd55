import './policies.css'
import type { Policy } from '../../../../contract/policies.ts'
import { TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { nameSchedule } from './rule.ts'

/** A policy that a bucket's lifecycle configuration decides: what it does, and where it can be changed. */
export function LifecycleRule({ policy, lifecycle }: { policy: Policy; lifecycle: NonNullable<Policy['lifecycle']> }) {
  return (
    <section className="card stack" aria-label={text.rule}>
      <h2>{text.lifecycleTitle(lifecycle.rule_id)}</h2>
      <p>
        {text.lifecycleText(lifecycle.bucket)} {text.lifecycleDays}
      </p>
      <dl className="facts">
        <dt>{text.schedule}</dt>
        <dd>{nameSchedule(policy.cron, policy.timezone)}</dd>
        <dt>{text.nextRun}</dt>
        <dd>
          <TimeAgo time={policy.next_run_at} />
        </dd>
        <dt>{text.author}</dt>
        <dd>{policy.author_email}</dd>
      </dl>
    </section>
  )
}

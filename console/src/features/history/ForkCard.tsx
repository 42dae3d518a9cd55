import './history.css'
import { Anchor, Button } from '@mantine/core'
import { IconGitMerge } from '@tabler/icons-react'
import { useState } from 'react'
import type { BucketFork } from '../../../../contract/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { formatTime } from '../../i18n.ts'
import { legible } from '../../keys.ts'
import { Link } from '../../navigation/Link.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { Merge } from './Merge.tsx'
import { text } from './messages.ts'

/** What a bucket is a fork of, and when it ends. */
export function ForkCard({
  name,
  fork: { bucket, moment, prefix, state, job, erased, expires_at },
}: {
  name: string
  fork: BucketFork
}) {
  const me = useMe()
  const [merging, setMerging] = useState(false)
  const mayMerge = bucket !== null && state === 'whole' && me.canIn('read', name) && me.canIn('write', bucket)
  return (
    <section className="card stack-tight" aria-labelledby="bucket-fork">
      <h2 id="bucket-fork">{text.forkCard}</h2>
      <dl className="facts">
        <dt>{text.forkFrom}</dt>
        <dd>
          {bucket === null ? (
            text.forkGone
          ) : (
            <Anchor component={Link} to={`/b/${bucket}`} search={{ at: moment, prefix }}>
              <bdi>{legible(prefix === '' ? bucket : `${bucket}/${prefix}`)}</bdi>
            </Anchor>
          )}
        </dd>
        <dt>{text.forkMoment}</dt>
        <dd title={moment}>{formatTime(moment)}</dd>
        <dt>{text.forkState}</dt>
        <dd className="row">
          <Status tone={state === 'whole' ? 'ok' : 'note'}>{state === 'whole' ? text.whole : text.filling}</Status>
          {job === null ? null : (
            <Link to={`/jobs/${job}`} className="job-link">
              {text.job}
            </Link>
          )}
        </dd>
        <dt>{text.forkEnd}</dt>
        <dd>
          <TimeAgo time={expires_at} />
        </dd>
      </dl>
      {erased > 0 ? <p className="warn">{text.missing(erased)}</p> : null}
      {mayMerge ? (
        <div>
          <Button variant="default" leftSection={<IconGitMerge size={15} />} onClick={() => setMerging(true)}>
            {text.mergeInto(bucket)}
          </Button>
        </div>
      ) : null}
      {merging && bucket !== null ? <Merge fork={name} origin={bucket} onClose={() => setMerging(false)} /> : null}
    </section>
  )
}

import './buckets.css'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Bucket, BucketSource } from '../../../../contract/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'

/** What an attached bucket shows of an S3 engine, and as of when. */
export function SourceCard({ storage, source }: { storage: Bucket['storage']; source: BucketSource }) {
  const me = useMe()
  const { bucket, prefix, as_of, weak, events_at } = source
  return (
    <section className="card stack-tight" aria-labelledby="bucket-source">
      <h2 id="bucket-source">{text.source}</h2>
      <dl className="facts">
        <dt>{text.storage}</dt>
        <dd data-data>
          {me.isAdmin ? (
            <Anchor component={Link} to={`/admin/storages/${storage}`}>
              {storage}
            </Anchor>
          ) : (
            storage
          )}
        </dd>
        <dt>{text.engineBucket}</dt>
        <dd>
          <bdi dir="ltr" className="mono">
            {bucket}
          </bdi>
        </dd>
        <dt>{text.enginePrefix}</dt>
        <dd>
          {prefix === '' ? (
            text.wholeBucket
          ) : (
            <bdi dir="ltr" className="mono">
              {prefix}
            </bdi>
          )}
        </dd>
        <dt>{text.listed}</dt>
        <dd>
          <TimeAgo time={as_of} none={text.notListed} />
        </dd>
        <dt>{text.reported}</dt>
        <dd>
          <TimeAgo time={events_at} none={text.notReported} />
        </dd>
      </dl>
      {as_of === null ? null : <p className="dim">{text.listedHint}</p>}
      <p className="dim">{text.sourceHint}</p>
      {weak ? <p className="warn">{text.weak}</p> : null}
    </section>
  )
}

import './buckets.css'
import { Anchor } from '@mantine/core'
import type { Bucket, BucketSource } from '../../../../contract/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'

/** What an attached bucket shows of an S3 engine, and as of when; of one that was taken over, where its older bytes are. */
export function SourceCard({ bucket: { mode }, source }: { bucket: Bucket; source: BucketSource }) {
  const me = useMe()
  const { bucket, prefix, storage, as_of, weak, events_at, taken_over_at } = source
  const isTakenOver = mode === 'taken_over'
  return (
    <section className="card stack-tight" aria-labelledby="bucket-source">
      <h2 id="bucket-source">{isTakenOver ? text.sourceTakenOver : text.source}</h2>
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
        {isTakenOver ? (
          <>
            <dt>{text.takenOver}</dt>
            <dd>
              <TimeAgo time={taken_over_at} />
            </dd>
          </>
        ) : null}
        <dt>{isTakenOver ? text.compared : text.listed}</dt>
        <dd>
          <TimeAgo time={as_of} none={text.notListed} />
        </dd>
        <dt>{text.reported}</dt>
        <dd>
          <TimeAgo time={events_at} none={text.notReported} />
        </dd>
      </dl>
      {as_of === null || isTakenOver ? null : <p className="dim">{text.listedHint}</p>}
      <p className="dim">{isTakenOver ? text.takenOverHint : text.sourceHint}</p>
      {weak ? <p className="warn">{text.weak}</p> : null}
    </section>
  )
}

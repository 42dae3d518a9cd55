import './buckets.css'
import { Button } from '@mantine/core'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { takeOverText as text } from './attached-messages.ts'

/** Leads to taking over a read-only bucket. For administrators. */
export function TakeOverCard({ bucket }: { bucket: string }) {
  const me = useMe()
  return (
    <section className="card bucket-narrow stack" aria-labelledby="bucket-take-over">
      <h2 id="bucket-take-over">{text.title}</h2>
      <div className="stack-tight">
        <p>{text.cardHint}</p>
        {me.isAdmin ? null : <p className="dim">{text.adminsOnly}</p>}
      </div>
      {me.isAdmin ? (
        <div className="dialog-actions">
          <Button variant="default" component={Link} to={`/b/${bucket}/take-over`}>
            {text.open}
          </Button>
        </div>
      ) : null}
    </section>
  )
}

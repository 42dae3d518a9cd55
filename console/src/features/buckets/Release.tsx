import './buckets.css'
import { Button } from '@mantine/core'
import type { Bucket } from '../../../../contract/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { text } from './messages.ts'

/** Forgets a read-only bucket, which takes the place of deleting it. For administrators. */
export function Release({ bucket: { name, object_count } }: { bucket: Bucket }) {
  const me = useMe()
  const { go } = useView()
  const release = async () => {
    const yes = await confirm({
      title: text.releaseTitle(name),
      children: (
        <ul className="bucket-notes">
          {[text.releaseStays, text.releaseEnds, text.releaseTags, text.releaseAgain].map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      ),
      action: text.release,
      typed: name,
    })
    if (!yes) return
    try {
      const { objects } = await client.releaseBucket({ params: { bucket: name } })
      notify.ok(text.released(name, objects))
      await go('/buckets')
      queries.removeQueries({ queryKey: ['scans', name] })
      for (const key of ['buckets', 'storages']) await queries.invalidateQueries({ queryKey: [key] })
    } catch (error) {
      notify.problem(error)
      await queries.invalidateQueries({ queryKey: ['bucket', name] })
    }
  }
  return (
    <section className="stack-tight" aria-labelledby="bucket-danger">
      <h2 id="bucket-danger">{text.danger}</h2>
      <div className="card bucket-danger">
        <div className="bucket-danger-row">
          <div>
            <p>{text.releaseHint(object_count ?? 0)}</p>
            {me.isAdmin ? null : <p className="dim">{text.releaseAdmins}</p>}
          </div>
          <Button color="danger" disabled={!me.isAdmin} onClick={() => void release()}>
            {text.release}
          </Button>
        </div>
      </div>
    </section>
  )
}

import './buckets.css'
import { Anchor, Button, Modal, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import { queries, useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { beginJob } from '../jobs/begin.ts'
import { storagesQuery } from '../storages/queries.ts'
import { text } from './messages.ts'

/** The storage of a bucket. Administrators can move it to another. */
export function StorageCard({ bucket: { name, storage } }: { bucket: Bucket }) {
  const me = useMe()
  const { data } = useQuery({ ...storagesQuery, enabled: me.isAdmin })
  const [moving, setMoving] = useState(false)
  const others = (data ?? []).filter((one) => one.enabled && one.name !== storage).map((one) => one.name)
  const isOff = data?.some((one) => one.name === storage && !one.enabled)
  return (
    <section className="card bucket-form stack" aria-labelledby="bucket-storage">
      <h2 id="bucket-storage">{text.storage}</h2>
      <div className="stack-tight">
        <dl className="facts">
          <dt>{text.storageIs}</dt>
          <dd data-data>
            {me.isAdmin ? (
              <Anchor component={Link} to={`/admin/storages/${storage}`}>
                {storage}
              </Anchor>
            ) : (
              storage
            )}
          </dd>
        </dl>
        {isOff ? <p className="warn">{text.storageOff}</p> : null}
        {data && others.length === 0 ? <p className="dim">{text.moveOnly}</p> : null}
      </div>
      {me.isAdmin ? (
        <div className="dialog-actions">
          <Button variant="default" disabled={others.length === 0} onClick={() => setMoving(true)}>
            {text.move}
          </Button>
        </div>
      ) : null}
      {moving ? <MoveBucket name={name} storages={others} onClose={() => setMoving(false)} /> : null}
    </section>
  )
}

function MoveBucket({ name, storages, onClose }: { name: string; storages: readonly string[]; onClose: () => void }) {
  const { go } = useView()
  const form = useForm({ dest_storage: storages[0] ?? '' })
  const { dest_storage } = form.values
  const move = async () => {
    let id = ''
    const taken = await form.submit(
      async () => {
        const job = await beginJob({ kind: 'migrate', source_bucket: name, dest_storage })
        id = job.id
      },
      { conflict: 'dest_storage', not_found: 'dest_storage' },
    )
    if (!taken) return
    notify.note(text.moveStarted)
    await queries.invalidateQueries({ queryKey: ['bucket', name] })
    await go(`/jobs/${id}`)
  }
  return (
    <Modal opened onClose={onClose} title={text.moveTitle(name)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void move()
        }}
      >
        <Select
          label={text.moveTo}
          data={storages}
          value={dest_storage}
          onChange={(value) => form.set('dest_storage', value ?? '')}
          error={form.faults.dest_storage}
          data-autofocus
        />
        <ul className="bucket-notes">
          {[text.moveNew, text.moveCopied, text.moveOld, text.moveCancel].map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={dest_storage === ''}>
            {text.moveAction}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

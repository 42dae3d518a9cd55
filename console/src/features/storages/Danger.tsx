import './storages.css'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Storage } from '../../../../contract/storages.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { useRemoval } from '../../ui/useRemoval.tsx'
import { text } from './messages.ts'

/** Turns a storage off and on, and deletes it. */
export function Danger({ storage: { name, enabled, bucket_count } }: { storage: Storage }) {
  const cache = useQueryClient()
  const [turning, setTurning] = useState(false)
  const removal = useRemoval({ list: '/admin/storages', listKey: ['storages', 'list'] })
  const params = { storage: name }
  const turn = async () => {
    const question = { title: text.turnOffTitle(name), children: text.turnOffText(bucket_count), action: text.turnOff }
    if (enabled && !(await confirm(question))) return
    setTurning(true)
    try {
      await client.updateStorage({ params, body: { enabled: !enabled } })
      notify.ok(enabled ? text.turnedOff(name) : text.turnedOn(name))
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['storages'] })
    setTurning(false)
  }
  const remove = () =>
    removal(
      { title: text.removeTitle(name), children: text.removeText, action: text.remove },
      () => client.deleteStorage({ params }),
      text.removed,
    )
  return (
    <section className="stack-tight storages-actions" aria-labelledby="storage-danger">
      <h2 id="storage-danger">{text.danger}</h2>
      <div className="card storages-danger">
        <div>
          <p>{enabled ? text.turnOffHint : text.isOff}</p>
          <Button variant="default" loading={turning} onClick={() => void turn()}>
            {enabled ? text.turnOff : text.turnOn}
          </Button>
        </div>
        <div>
          <p>{bucket_count === 0 ? text.removeHint : text.removeFirst(bucket_count)}</p>
          <Button color="danger" disabled={bucket_count > 0} onClick={() => void remove()}>
            {text.remove}
          </Button>
        </div>
      </div>
    </section>
  )
}

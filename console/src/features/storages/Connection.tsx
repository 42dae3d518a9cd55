import { Alert, Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Storage } from '../../../../contract/storages.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { changeOf, type Draft, draftOf } from './draft.ts'
import { Credentials, S3Place } from './Fields.tsx'
import { text } from './messages.ts'
import { refusalOf } from './refusal.ts'

/** How a storage is reached. With other settings it must be reachable, and the same one. */
export function Connection({ storage, onSaved }: { storage: Storage; onSaved: () => void }) {
  const cache = useQueryClient()
  const [initial] = useState(() => draftOf(storage))
  const form = useForm<Draft>(initial)
  const [refusal, setRefusal] = useState<string>()
  const change = changeOf(form.values, initial)
  const dirty = Object.keys(change).length > 0
  useLeaveGuard(dirty && !form.sending)
  const save = async () => {
    let refused: string | undefined
    setRefusal(undefined)
    const taken = await form.submit(async () => {
      refused = await refusalOf(client.updateStorage({ params: { storage: storage.name }, body: change }))
    })
    setRefusal(refused)
    if (!taken || refused !== undefined) return
    notify.ok(text.saved)
    await cache.invalidateQueries({ queryKey: ['storages'] })
    onSaved()
  }
  return (
    <section className="card" aria-labelledby="storage-connection">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (dirty) void save()
        }}
      >
        <h2 id="storage-connection">{text.connection}</h2>
        <S3Place form={form} />
        <Credentials form={form} before={initial} />
        {refusal === undefined ? null : (
          <Alert role="alert" className="alert-bad" title={text.refused}>
            {refusal}
          </Alert>
        )}
        <div className="dialog-actions">
          {dirty ? <span className="warn grow">{common.unsaved}</span> : <span className="grow" />}
          <Button variant="default" disabled={!dirty} onClick={form.reset}>
            {common.discard}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!dirty}>
            {text.save}
          </Button>
        </div>
      </form>
    </section>
  )
}

import './storages.css'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Storage } from '../../../../contract/storages.ts'
import { client } from '../../api/session.ts'
import { CopyField } from '../../ui/CopyField.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { SecretReveal } from '../../ui/Secret.tsx'
import { Status } from '../../ui/values.tsx'
import { eventsText as text } from './messages.ts'

type Token = Awaited<ReturnType<typeof client.createEventsToken>>

/** The token with which an engine reports changes in attached buckets. It is shown once, where it is created. */
export function Events({ storage: { name, events } }: { storage: Storage }) {
  const cache = useQueryClient()
  const [token, setToken] = useState<Token>()
  const [working, setWorking] = useState<'create' | 'delete'>()
  const params = { storage: name }
  const act = async (which: 'create' | 'delete', work: () => Promise<unknown>) => {
    setWorking(which)
    try {
      await work()
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['storages'] })
    setWorking(undefined)
  }
  const create = async () => {
    const question = { title: text.replaceTitle, children: text.replaceText, action: text.replace }
    if (events && !(await confirm(question))) return
    await act('create', async () => setToken(await client.createEventsToken({ params })))
  }
  const remove = async () => {
    if (!(await confirm({ title: text.deleteTitle, children: text.deleteText, action: text.delete }))) return
    await act('delete', async () => {
      await client.deleteEventsToken({ params })
      notify.ok(text.deleted)
    })
  }
  return (
    <section className="card stack" aria-labelledby="storage-events">
      <div className="stack-tight">
        <div className="row">
          <h2 id="storage-events">{text.title}</h2>
          {events ? <Status tone="ok">{text.on}</Status> : <Status tone="idle">{text.off}</Status>}
        </div>
        <p className="dim">{events ? text.hintOn : text.hintOff}</p>
      </div>
      <div className="dialog-actions">
        {events ? (
          <Button
            variant="subtle"
            color="danger"
            loading={working === 'delete'}
            disabled={working !== undefined}
            onClick={() => void remove()}
          >
            {text.delete}
          </Button>
        ) : null}
        <Button
          variant="default"
          loading={working === 'create'}
          disabled={working !== undefined}
          onClick={() => void create()}
        >
          {events ? text.replace : text.create}
        </Button>
      </div>
      {token ? (
        <SecretReveal title={text.title} label={text.token} secret={token.token} onClose={() => setToken(undefined)}>
          <CopyField label={text.url} hideLabel={false} value={token.url} mono />
          <p>{text.bearer}</p>
          <CopyField
            label={text.urlWithToken}
            hideLabel={false}
            value={`${token.url}?token=${encodeURIComponent(token.token)}`}
            mono
          />
          <p className="dim">{text.inUrl}</p>
        </SecretReveal>
      ) : null}
    </section>
  )
}

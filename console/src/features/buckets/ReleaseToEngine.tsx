import './buckets.css'
import { Alert, Button, Modal, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Release } from '../../../../contract/attached.ts'
import type { Bucket } from '../../../../contract/buckets.ts'
import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { formatBytes } from '../../i18n.ts'
import { useView } from '../../navigation/useView.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { begun } from '../jobs/begin.ts'
import { formText } from '../storages/messages.ts'
import { storagesQuery } from '../storages/queries.ts'
import { refusalOf } from '../storages/refusal.ts'
import { releaseText as text } from './attached-messages.ts'

/** Has the objects of a bucket that was taken over written to an engine. For administrators. */
export function ReleaseToEngine({ bucket: { name } }: { bucket: Bucket }) {
  const me = useMe()
  const [opened, setOpened] = useState(false)
  return (
    <section className="card bucket-form stack" aria-labelledby="bucket-release">
      <h2 id="bucket-release">{text.title}</h2>
      <div className="stack-tight">
        <p>{text.hint}</p>
        {me.isAdmin ? null : <p className="dim">{text.adminsOnly}</p>}
      </div>
      {me.isAdmin ? (
        <div className="dialog-actions">
          <Button variant="default" onClick={() => setOpened(true)}>
            {text.open}
          </Button>
        </div>
      ) : null}
      {opened ? <Dialog name={name} onClose={() => setOpened(false)} /> : null}
    </section>
  )
}

/** Asks where to, says what that does, and starts the job. */
function Dialog({ name, onClose }: { name: string; onClose: () => void }) {
  const { go } = useView()
  const all = useQuery(storagesQuery)
  const storages = (all.data ?? []).filter(({ kind, enabled }) => kind === 's3' && enabled)
  const form = useForm({ storage: '', prefix: '' })
  const [plan, setPlan] = useState<Release>()
  const [refusal, setRefusal] = useState<string>()
  // The default storage has bytes of our own.
  const usual = storages.find((one) => one.name !== DEFAULT_STORAGE) ?? storages[0]
  const chosen = storages.find((one) => one.name === form.values.storage) ?? usual
  const set = (field: 'storage' | 'prefix', value: string) => {
    form.set(field, value)
    setPlan(undefined)
    setRefusal(undefined)
  }
  const ask = async (isDry: boolean) => {
    const prefix = form.values.prefix.trim()
    let found: Release | undefined
    setRefusal(undefined)
    const isTaken = await form.submit(async () => {
      const asked = client.releaseBucket({
        params: { bucket: name },
        body: { dry_run: isDry, storage: chosen?.name ?? '', ...(prefix === '' ? {} : { prefix }) },
      })
      setRefusal(
        await refusalOf(
          asked.then((release) => {
            found = release
          }),
        ),
      )
    })
    return isTaken ? found : undefined
  }
  const check = async () => setPlan(await ask(true))
  const start = async () => {
    const job = (await ask(false))?.job
    if (!job) return setPlan(undefined)
    begun.set(job.id, undefined)
    notify.ok(text.started)
    for (const queryKey of [['jobs'], ['bucket', name], ['buckets']]) await queries.invalidateQueries({ queryKey })
    await go(`/jobs/${job.id}`)
  }
  return (
    <Modal opened onClose={onClose} title={text.heading(name)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (chosen && !form.sending) void (plan ? start() : check())
        }}
      >
        {all.data && storages.length === 0 ? <p className="warn">{text.noStorage}</p> : null}
        <Select
          label={text.storage}
          data={storages.map((one) => one.name)}
          value={chosen?.name ?? null}
          onChange={(value) => set('storage', value ?? '')}
          error={form.faults.storage}
          allowDeselect={false}
          data-autofocus
        />
        <TextInput
          value={form.values.prefix}
          onChange={(event) => set('prefix', event.currentTarget.value)}
          label={text.prefix}
          description={chosen ? text.prefixHint(`${chosen.bucket}/${chosen.prefix}`) : undefined}
          error={form.faults.prefix?.startsWith('must match') ? formText.badForm : form.faults.prefix}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="off"
          spellCheck={false}
          maxLength={512}
        />
        <div aria-live="polite">
          {refusal === undefined ? null : (
            <Alert role="alert" className="alert-bad" title={text.refused}>
              {refusal}
            </Alert>
          )}
          {plan ? (
            <ul className="bucket-notes">
              {[text.willWrite(plan.objects, formatBytes(plan.bytes)), text.willLock, text.willEnd, text.willStay].map(
                (sentence) => (
                  <li key={sentence}>{sentence}</li>
                ),
              )}
            </ul>
          ) : null}
        </div>
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!chosen}>
            {plan ? text.start : text.check}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

import { Button, Modal, Select, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Bucket } from '../../../../contract/buckets.ts'
import { isSnapshotName } from '../../../../contract/names.ts'
import { client } from '../../api/session.ts'
import { type Expiry, ExpiryField, endOf, localValue } from '../../ui/ExpiryField.tsx'
import { MomentField } from '../../ui/MomentField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

export const lengths = ['7d', '30d', '90d', '1y', 'never'] as const

/** Names a moment of a bucket. */
export function NewSnapshot({ bucket, onClose }: { bucket: Bucket; onClose: () => void }) {
  const cache = useQueryClient()
  const [opened] = useState(() => Date.now())
  const form = useForm({
    name: '',
    note: '',
    which: 'now' as 'now' | 'earlier',
    at: localValue(new Date(opened - 3600_000)),
    expires_at: { choice: 'never', at: '' } as Expiry,
  })
  const { name, note, which, at, expires_at } = form.values
  const isNamed = isSnapshotName(name)
  const time = new Date(at)
  const isKnown = which === 'now' || time.getTime() <= opened
  const end = expires_at.choice === 'never' ? undefined : endOf(expires_at)
  const take = async () => {
    const taken = await form.submit(() =>
      client.createSnapshot({
        params: { bucket: bucket.name },
        body: {
          name,
          ...(note.trim() === '' ? {} : { note: note.trim() }),
          ...(which === 'now' ? {} : { at: time.toISOString() }),
          ...(end === undefined ? {} : { expires_at: end.toISOString() }),
        },
      }),
    )
    if (!taken) return
    notify.ok(text.taken(name))
    await cache.invalidateQueries({ queryKey: ['snapshots', bucket.name] })
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={text.newTitle}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const isComplete = form.check({
            name: name === '' ? common.required : !isNamed && text.badName,
            at: !isKnown && common.pickTime,
            expires_at: expires_at.choice !== 'never' && end === undefined && common.pickTime,
          })
          if (isComplete) void take()
        }}
      >
        <TextInput
          {...form.field('name')}
          error={name === '' || isNamed ? form.faults.name : text.badName}
          label={text.name}
          description={text.nameHint}
          autoComplete="off"
          spellCheck={false}
          maxLength={60}
          data-autofocus
        />
        <Textarea {...form.field('note')} label={text.note} description={text.noteHint} autosize maxLength={500} />
        <Select
          label={text.which}
          data={[
            { value: 'now', label: text.present },
            { value: 'earlier', label: text.earlier },
          ]}
          value={which}
          onChange={(value) => form.set('which', value === 'earlier' ? 'earlier' : 'now')}
          error={which === 'now' ? form.faults.at : undefined}
          allowDeselect={false}
        />
        {which === 'now' ? null : (
          <MomentField
            label={text.time}
            value={at}
            max={localValue(new Date(opened))}
            onChange={(event) => form.set('at', event.currentTarget.value)}
            error={form.faults.at}
          />
        )}
        <ExpiryField
          label={text.expires}
          lengths={lengths}
          value={expires_at}
          onChange={(next) => form.set('expires_at', next)}
          error={form.faults.expires_at}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending}>
            {text.take}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

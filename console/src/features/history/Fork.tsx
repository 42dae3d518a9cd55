import { Button, Modal, Select, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { isBucketName } from '../../../../contract/names.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { type Expiry, ExpiryField, endOf } from '../../ui/ExpiryField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { snapshotsQuery } from '../past/queries.ts'
import { text } from './messages.ts'
import { lengths } from './NewSnapshot.tsx'

/** Creates a bucket that starts as another one is, or was at a snapshot. */
export function Fork({ bucket, at, onClose }: { bucket: string; at: string | null; onClose: () => void }) {
  const cache = useQueryClient()
  const { go } = useView()
  const snapshots = useQuery(snapshotsQuery(bucket))
  const form = useForm({
    name: '',
    prefix: '',
    at: at ?? '',
    expires_at: { choice: '7d', at: '' } as Expiry,
  })
  const { name, prefix, expires_at } = form.values
  const fault = name.length < 3 || isBucketName(name) ? undefined : text.forkBadName
  const end = expires_at.choice === 'never' ? undefined : endOf(expires_at)
  const create = async () => {
    const taken = await form.submit(() =>
      client.createBucket({
        body: {
          name,
          from: {
            bucket,
            ...(form.values.at === '' ? {} : { at: form.values.at }),
            ...(prefix === '' ? {} : { prefix }),
          },
          ...(end === undefined ? {} : { expires_at: end.toISOString() }),
        },
      }),
    )
    if (!taken) return
    notify.ok(text.forked(name))
    await cache.invalidateQueries({ queryKey: ['buckets'] })
    onClose()
    await go(`/b/${name}/overview`)
  }
  return (
    <Modal opened onClose={onClose} title={text.forkTitle(bucket)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          const isComplete = form.check({
            name: name === '' ? common.required : !isBucketName(name) && text.forkBadName,
            expires_at: expires_at.choice !== 'never' && end === undefined && common.pickTime,
          })
          if (isComplete) void create()
        }}
      >
        <p className="dim">{text.forkHint}</p>
        <TextInput
          {...form.field('name')}
          error={fault ?? form.faults.name}
          label={text.forkName}
          autoComplete="off"
          spellCheck={false}
          maxLength={63}
          data-autofocus
        />
        <Select
          label={text.forkAt}
          data={[
            { value: '', label: text.present },
            ...(snapshots.data ?? []).map((one) => ({ value: one.name, label: text.fromSnapshot(one.name) })),
          ]}
          value={form.values.at}
          onChange={(value) => form.set('at', value ?? '')}
          error={form.faults['from.at']}
          allowDeselect={false}
        />
        <TextInput {...form.field('prefix')} label={text.forkFolder} description={text.forkFolderHint} />
        <ExpiryField
          label={text.forkEnds}
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
            {text.forkDo}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

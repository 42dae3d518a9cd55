import { Button, Modal, NumberInput, Select, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { DEFAULT_STORAGE } from '../../../../contract/storages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { storagesQuery } from '../storages/queries.ts'
import { text } from './messages.ts'
import { nameFault, suggestName } from './name.ts'

export function CreateBucket({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient()
  const { go } = useView()
  const me = useMe()
  // Only administrators may know of storages.
  const { data = [] } = useQuery({ ...storagesQuery, enabled: me.isAdmin })
  const storages = data.filter(({ enabled }) => enabled).map((one) => one.name)
  const mayChoose = me.isAdmin && storages.length > 1
  const form = useForm({ name: '', quota_gb: '' as number | string, storage: DEFAULT_STORAGE })
  const { name, storage } = form.values
  const fault = nameFault(name)
  const better = fault === undefined ? undefined : suggestName(name)
  const create = async () => {
    const taken = await form.submit(
      ({ quota_gb }) =>
        client.createBucket({
          body: {
            name,
            quota_gb: typeof quota_gb === 'number' ? quota_gb : null,
            ...(mayChoose ? { storage } : {}),
          },
        }),
      mayChoose ? { conflict: 'storage' } : {},
    )
    if (!taken) return
    notify.ok(text.made(name))
    await cache.invalidateQueries({ queryKey: ['buckets'] })
    onClose()
    await go(`/b/${name}`)
  }
  return (
    <Modal opened onClose={onClose} title={text.create}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (form.check({ name: name === '' ? common.required : fault })) void create()
        }}
      >
        <TextInput
          {...form.field('name')}
          error={fault ?? form.faults.name}
          label={text.name}
          description={text.nameHint}
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          maxLength={80}
        />
        {better === undefined ? null : (
          <Button variant="default" className="bucket-better-name" onClick={() => form.set('name', better)}>
            {text.betterName(better)}
          </Button>
        )}
        <NumberInput
          label={text.quota}
          description={text.quotaHint}
          value={form.values.quota_gb}
          onChange={(value) => form.set('quota_gb', value)}
          error={form.faults.quota_gb}
          min={0}
          hideControls
        />
        {mayChoose ? (
          <Select
            label={text.storage}
            description={text.storageChoice}
            data={storages}
            value={storage}
            onChange={(value) => form.set('storage', value ?? DEFAULT_STORAGE)}
            error={form.faults.storage}
          />
        ) : null}
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending}>
            {common.create}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

import { Button, Modal, NumberInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { isBucketName } from '../../../../contract/names.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

/** The error in a name while it is typed; none while it is empty. */
function faultOf(name: string): string | undefined {
  if (name === '') return undefined
  if (name.length < 3) return text.nameShort
  return isBucketName(name) ? undefined : text.nameBad
}

export function CreateBucket({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient()
  const { go } = useView()
  const form = useForm({ name: '', quota_gb: '' as number | string })
  const { name } = form.values
  const fault = faultOf(name)
  const create = async () => {
    const taken = await form.submit(({ quota_gb }) =>
      client.createBucket({ body: { name, quota_gb: typeof quota_gb === 'number' ? quota_gb : null } }),
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
          if (fault === undefined && name !== '') void create()
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
        <NumberInput
          label={text.quota}
          description={text.quotaHint}
          value={form.values.quota_gb}
          onChange={(value) => form.set('quota_gb', value)}
          error={form.faults.quota_gb}
          min={0}
          hideControls
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={name === '' || fault !== undefined}>
            {text.create}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

import { Button, Modal, Textarea, TextInput } from '@mantine/core'
import { text as common } from '../../ui/messages.ts'
import type { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

/** A dialog for a group's name and description. */
export function GroupFields({
  title,
  action,
  form,
  onSend,
  onClose,
}: {
  title: string
  action: string
  form: ReturnType<typeof useForm<{ name: string; description: string }>>
  onSend: () => Promise<unknown>
  onClose: () => void
}) {
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (form.check({ name: form.values.name.trim() === '' && common.required })) void onSend()
        }}
      >
        <TextInput {...form.field('name')} label={text.name} maxLength={100} data-autofocus autoComplete="off" />
        <Textarea
          {...form.field('description')}
          label={text.description}
          description={text.descriptionHint}
          maxLength={1000}
          autosize
          minRows={2}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

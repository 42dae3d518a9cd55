import { Button, Modal, Select } from '@mantine/core'
import { text as common } from '../../ui/messages.ts'
import { useForm } from '../../ui/useForm.ts'
import { text } from './messages.ts'

const graces = [
  { value: '0', label: text.graceNone },
  { value: '3600', label: text.graceHour },
  { value: '86400', label: text.graceDay },
]

/** Gives a credential a new value, with an optional grace period for the old one. */
export function Rotate<Made>({
  name,
  rotate: send,
  onMade,
  onClose,
}: {
  name: string
  rotate: (body: { grace_seconds: number }) => Promise<Made>
  onMade: (made: Made) => void
  onClose: () => void
}) {
  const form = useForm({ grace: '0' })
  const rotate = async () => {
    let made: Made | undefined
    const done = await form.submit(async ({ grace }) => {
      made = await send({ grace_seconds: Number(grace) })
    })
    if (done && made !== undefined) onMade(made)
  }
  return (
    <Modal opened onClose={onClose} title={text.rotateTitle(name)}>
      <div className="stack">
        <p>{text.rotateText}</p>
        <Select
          label={text.grace}
          data={graces}
          value={form.values.grace}
          onChange={(grace) => form.set('grace', grace ?? '0')}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button loading={form.sending} onClick={() => void rotate()}>
            {text.rotateAction}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

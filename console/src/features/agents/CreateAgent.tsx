import { Button, Modal } from '@mantine/core'
import type { NewAgent } from '../../../../contract/agents.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { useForm } from '../../ui/useForm.ts'
import { AgentFields } from './AgentFields.tsx'
import { bodyOf, type Draft, newDraft } from './draft.ts'
import { text } from './messages.ts'
import { refetchAgents } from './queries.ts'

/** The form of a new agent. */
export function CreateAgent({ onMade, onClose }: { onMade: (agent: NewAgent) => void; onClose: () => void }) {
  const form = useForm<Draft>(newDraft())
  const body = bodyOf(form.values)
  const create = async () => {
    if (!body) return
    let made: NewAgent | undefined
    const done = await form.submit(async () => {
      made = await client.createAgent({ body })
    })
    if (!done || !made) return
    onMade(made)
    await refetchAgents()
  }
  return (
    <Modal opened onClose={onClose} title={text.create} size="62rem">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <AgentFields form={form} />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!body}>
            {text.make}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

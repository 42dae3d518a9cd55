import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Proof } from '../../../../contract/second-factor.ts'
import { text as common } from '../../ui/messages.ts'
import { useForm } from '../../ui/useForm.ts'
import { ProofField, type ProofKind, proofOf } from './Proof.tsx'

/** Confirms a change that needs the user's password, or a code. */
export function ProvenAction({
  title,
  action,
  danger = false,
  proofKind,
  run,
  onClose,
  children,
}: {
  title: string
  action: string
  danger?: boolean
  proofKind: ProofKind
  run: (proof: Proof) => Promise<unknown>
  onClose: () => void
  children: ReactNode
}) {
  const form = useForm({ proof: '' })
  const { proof } = form.values
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void form.submit(() => run(proofOf(proofKind, proof))).then((done) => (done ? onClose() : undefined))
        }}
      >
        <p>{children}</p>
        <ProofField
          kind={proofKind}
          value={proof}
          faults={form.faults}
          onChange={(value) => form.set('proof', value)}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" color={danger ? 'danger' : 'teal'} loading={form.sending} disabled={proof === ''}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Proof } from '../../../../contract/second-factor.ts'
import { text as common } from '../../ui/messages.ts'
import { useForm } from '../../ui/useForm.ts'
import { PasskeyProof, ProofField, type ProofWays, proofOf, provePasskey } from './Proof.tsx'

/** Confirms a change that needs the user's password, or a code. */
export function ProvenAction({
  title,
  action,
  danger = false,
  ways,
  run,
  onClose,
  children,
}: {
  title: string
  action: string
  danger?: boolean
  ways: ProofWays
  run: (proof: Proof) => Promise<unknown>
  onClose: () => void
  children: ReactNode
}) {
  const form = useForm({ proof: '' })
  const { proof } = form.values
  const prove = async (given: () => Proof | Promise<Proof>) => {
    if (await form.submit(async () => run(await given()))) onClose()
  }
  return (
    <Modal opened onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void prove(() => proofOf(ways, proof))
        }}
      >
        <p>{children}</p>
        <ProofField ways={ways} value={proof} faults={form.faults} onChange={(value) => form.set('proof', value)} />
        {ways.passkey ? <PasskeyProof sending={form.sending} onUse={() => void prove(provePasskey)} /> : null}
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

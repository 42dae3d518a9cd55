import './second-factor.css'
import { Button, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import type { Api } from '../../../../contract/index.ts'
import type { PasskeyRegistration } from '../../../../contract/passkeys.ts'
import type { Reply } from '../../../../contract/route.ts'
import type { Proof } from '../../../../contract/second-factor.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import AppKey from './AppKey.tsx'
import { CodeField } from './CodeField.tsx'
import { digitsOf, isCode } from './challenge.ts'
import { text } from './messages.ts'
import { PasskeyProof, ProofField, type ProofWays, proofOf, provePasskey } from './Proof.tsx'
import { createPasskey } from './passkeys.ts'
import { factorsQuery } from './queries.ts'

export type Begun = Reply<Api['beginSecondFactor']>

/** Finishes setting up an authenticator app or a passkey. */
export function AddFactor({
  begun: { challenge, totp, passkey },
  ways,
  onCodes,
  onClose,
}: {
  begun: Begun
  ways: ProofWays
  onCodes: (codes: string[]) => void
  onClose: () => void
}) {
  const cache = useQueryClient()
  const kind = totp ? text.app : text.passkey
  const form = useForm({ name: kind, otp: '', proof: '' })
  // Kept when the password was wrong: the browser would create a second passkey.
  const registered = useRef<PasskeyRegistration>(undefined)
  const { name, otp, proof } = form.values
  const isReady = name.trim() !== '' && (totp === null || isCode(otp))
  const add = async (given: () => Proof | Promise<Proof> = () => proofOf(ways, proof)) => {
    let codes: string[] | null = null
    const done = await form.submit(async () => {
      if (passkey) registered.current ??= await createPasskey(passkey)
      const confirmation = registered.current ? { passkey: registered.current } : { otp: digitsOf(otp) }
      const body = { challenge, name: name.trim(), proof: await given(), ...confirmation }
      codes = (await client.addSecondFactor({ body })).recovery_codes
    })
    if (!done) return
    notify.ok(text.addedNow(name.trim()))
    await cache.invalidateQueries(factorsQuery)
    if (codes !== null) onCodes(codes)
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={totp ? text.addApp : text.addPasskey}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        {totp ? (
          <>
            <AppKey {...totp} />
            <CodeField
              value={otp}
              error={form.faults.otp && text.wrong}
              onChange={(value) => form.set('otp', value)}
              focused
            />
          </>
        ) : (
          <p className="dim">{text.passkeyHint}</p>
        )}
        <TextInput {...form.field('name')} label={text.name} maxLength={100} autoComplete="off" />
        <ProofField ways={ways} value={proof} faults={form.faults} onChange={(value) => form.set('proof', value)} />
        {ways.passkey ? <PasskeyProof sending={form.sending || !isReady} onUse={() => void add(provePasskey)} /> : null}
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!isReady || proof === ''}>
            {totp ? text.add : text.createPasskey}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

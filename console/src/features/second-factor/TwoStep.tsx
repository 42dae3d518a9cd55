import './second-factor.css'
import { Alert, Button, Modal, TextInput } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Api } from '../../../../contract/index.ts'
import type { Reply } from '../../../../contract/route.ts'
import type { FactorKind, Proof, SecondFactor } from '../../../../contract/second-factor.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { TimeAgo } from '../../ui/values.tsx'
import { AddFactor, type Begun } from './AddFactor.tsx'
import { text } from './messages.ts'
import { proofWaysOf } from './Proof.tsx'
import { ProvenAction } from './ProvenAction.tsx'
import { hasPasskeys } from './passkeys.ts'
import { factorsQuery } from './queries.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'

type Found = Reply<Api['listSecondFactors']>

/** The user's second steps: adds, renames and removes them, and replaces the recovery codes. */
export function TwoStep() {
  const query = useQuery(factorsQuery)
  return <StateView query={query}>{(found) => <Factors found={found} />}</StateView>
}

function Factors({ found }: { found: Found }) {
  const { items, recovery_codes_left, required, has_password, passkeys } = found
  const me = useMe()
  const cache = useQueryClient()
  const [begun, setBegun] = useState<Begun>()
  const [removing, setRemoving] = useState<SecondFactor>()
  const [renaming, setRenaming] = useState<SecondFactor>()
  const [replacing, setReplacing] = useState(false)
  // Recovery codes exist only here, and only while they are shown.
  const [codes, setCodes] = useState<readonly string[]>()
  const ways = proofWaysOf(found)
  const refresh = () => cache.invalidateQueries(factorsQuery)

  const begin = async (kind: FactorKind) => {
    try {
      setBegun(await client.beginSecondFactor({ body: { kind } }))
    } catch (error) {
      notify.problem(error)
    }
  }
  const remove = async ({ id, name }: SecondFactor, proof: Proof) => {
    await client.removeSecondFactor({ params: { id }, body: { proof } })
    notify.ok(text.removed(name))
    await refresh()
  }
  const replace = async (proof: Proof) => {
    setCodes((await client.createRecoveryCodes({ body: { proof } })).recovery_codes)
    await refresh()
  }
  const columns: readonly Column<SecondFactor>[] = [
    { key: 'name', breaks: true, title: text.name, cell: ({ name }) => name },
    {
      key: 'kind',
      title: text.kind,
      optional: true,
      cell: ({ kind, discoverable }) => (discoverable ? text.alone(text.kinds(kind)) : text.kinds(kind)),
    },
    { key: 'added', title: text.added, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
    { key: 'used', title: text.used, optional: true, cell: ({ last_used_at }) => <TimeAgo time={last_used_at} /> },
    {
      key: 'actions',
      ...actionsShape,
      cell: (factor) => (
        <span className="second-factor-actions">
          <Button variant="subtle" aria-label={text.renameOf(factor.name)} onClick={() => setRenaming(factor)}>
            {text.rename}
          </Button>
          {required && items.length === 1 ? null : (
            <Button
              variant="subtle"
              color="danger"
              aria-label={text.removeOf(factor.name)}
              onClick={() => setRemoving(factor)}
            >
              {text.remove}
            </Button>
          )}
        </span>
      ),
    },
  ]
  if (!has_password && items.length === 0) return <p className="dim">{text.ssoOnly}</p>
  const usable = passkeys && hasPasskeys()
  return (
    <div className="stack">
      {required ? <Alert>{text.required}</Alert> : null}
      {items.length === 0 ? (
        <p className="dim">{text.none}</p>
      ) : (
        <ListTable label={text.title} columns={columns} rows={items} rowKey={({ id }) => id} />
      )}
      {items.length === 0 ? null : (
        <div className="row">
          <span className={recovery_codes_left < 3 ? 'warn' : 'dim'}>{text.codesLeft(recovery_codes_left)}</span>
          <Button variant="default" onClick={() => setReplacing(true)}>
            {text.newCodes}
          </Button>
        </div>
      )}
      {has_password ? (
        <div className="row">
          <Button variant="default" leftSection={<IconDeviceMobile size={15} />} onClick={() => void begin('totp')}>
            {text.addApp}
          </Button>
          {usable ? (
            <Button variant="default" leftSection={<IconFingerprint size={15} />} onClick={() => void begin('passkey')}>
              {text.addPasskey}
            </Button>
          ) : null}
        </div>
      ) : null}
      {has_password && !usable ? <p className="dim small">{text.noPasskeys}</p> : null}
      {begun ? <AddFactor begun={begun} ways={ways} onCodes={setCodes} onClose={() => setBegun(undefined)} /> : null}
      {renaming ? <Rename factor={renaming} onClose={() => setRenaming(undefined)} /> : null}
      {removing ? (
        <ProvenAction
          title={text.removeTitle(removing.name)}
          action={text.remove}
          danger
          ways={ways}
          run={(proof) => remove(removing, proof)}
          onClose={() => setRemoving(undefined)}
        >
          {items.length === 1 ? text.removeLast : text.removeHint}
        </ProvenAction>
      ) : null}
      {replacing ? (
        <ProvenAction
          title={text.newCodes}
          action={text.createCodes}
          ways={ways}
          run={replace}
          onClose={() => setReplacing(false)}
        >
          {text.newCodesHint}
        </ProvenAction>
      ) : null}
      {codes ? <RecoveryCodes codes={codes} email={me.email} onClose={() => setCodes(undefined)} /> : null}
    </div>
  )
}

function Rename({ factor: { id, name: old }, onClose }: { factor: SecondFactor; onClose: () => void }) {
  const cache = useQueryClient()
  const form = useForm({ name: old })
  const { name } = form.values
  const rename = async () => {
    if (!(await form.submit(() => client.renameSecondFactor({ params: { id }, body: { name: name.trim() } })))) return
    notify.ok(text.renamed)
    onClose()
    await cache.invalidateQueries(factorsQuery)
  }
  return (
    <Modal opened onClose={onClose} title={text.renameOf(old)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!form.check({ name: name.trim() === '' && common.required })) return
          if (name === old) onClose()
          else void rename()
        }}
      >
        <TextInput {...form.field('name')} label={text.name} maxLength={100} autoComplete="off" data-autofocus />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending}>
            {common.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

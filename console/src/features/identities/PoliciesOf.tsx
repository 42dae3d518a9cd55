import { ActionIcon, Anchor, Button, Modal, Select, TextInput } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OwnerKind, operations } from '../../../../contract/identity-policies.ts'
import type { Reply } from '../../../../contract/route.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { Status } from '../../ui/values.tsx'
import { useDescription } from '../access-policies/PolicyEditor.tsx'
import { Says } from '../access-policies/Says.tsx'
import { DocumentForm } from './DocumentForm.tsx'
import { text } from './messages.ts'
import { policiesQuery, policyQuery, refreshIdentities } from './queries.ts'
import '../access-policies/access-policies.css'

interface Owner {
  kind: OwnerKind
  /** The id of a user or group, or the name of a role. */
  owner: string
}
type Policies = Reply<(typeof operations)['getPoliciesOf']>

async function attempt(work: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await work()
    notify.ok(done)
  } catch (error) {
    notify.problem(error)
  }
  await refreshIdentities()
}

/** The policies of a user, a group or a role: those that are attached, and their own. */
export function PoliciesOf({ kind, owner }: Owner) {
  const params = { kind, owner }
  const policies = useQuery({
    queryKey: ['policies-of', kind, owner],
    queryFn: () => client.getPoliciesOf({ params }),
  })
  return (
    <div className="stack">
      <p className="dim">{text.ownHint(kind)}</p>
      <StateView query={policies}>
        {(policies) => (
          <>
            <Attached of={params} policies={policies} />
            <Own of={params} policies={policies} />
          </>
        )}
      </StateView>
    </div>
  )
}

function Attached({ of, policies: { attached } }: { of: Owner; policies: Policies }) {
  const [chosen, setChosen] = useState<string | null>(null)
  const { data: all = [] } = useQuery(policiesQuery)
  const free = all.filter(({ id }) => !attached.some((one) => one.id === id))
  const attach = async () => {
    const policy = free.find(({ id }) => id === chosen)
    if (!policy) return
    await attempt(() => client.attachPolicy({ params: { ...of, policy: policy.id } }), text.saved(policy.name))
    setChosen(null)
  }
  return (
    <section className="stack-tight" aria-label={text.attached}>
      <h2>{text.attached}</h2>
      {attached.length === 0 ? <p className="dim">{text.nothingAttached}</p> : null}
      <ul className="policy-list">
        {attached.map(({ id, name, builtin }) => (
          <li key={id} className="row">
            <Anchor component={Link} to={`/admin/identity-policies/${id}`} data-data>
              {name}
            </Anchor>
            {builtin ? <Status tone="note">{text.builtin}</Status> : null}
            <ActionIcon
              aria-label={text.detach(name)}
              title={text.detach(name)}
              onClick={() =>
                void attempt(() => client.detachPolicy({ params: { ...of, policy: id } }), text.saved(name))
              }
            >
              <IconX size={16} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <div className="policy-end">
        <Select
          label={text.attachWhich}
          data={free.map(({ id, name }) => ({ value: id, label: name }))}
          value={chosen}
          onChange={setChosen}
          searchable
        />
        <Button variant="default" disabled={chosen === null} onClick={() => void attach()}>
          {text.attach}
        </Button>
      </div>
      {chosen === null ? null : <Chosen id={chosen} />}
    </section>
  )
}

/** What a policy says, before it counts for somebody. */
function Chosen({ id }: { id: string }) {
  const policy = useQuery(policyQuery(id))
  return (
    <StateView query={policy}>
      {({ versions }) => <Described document={versions.find((one) => one.in_force)?.document ?? ''} />}
    </StateView>
  )
}

function Described({ document }: { document: string }) {
  const { query } = useDescription({ kind: 'identity' }, document)
  return (
    <div aria-live="polite">
      <StateView query={query}>{(described) => <Says described={described} />}</StateView>
    </div>
  )
}

function Own({ of, policies: { inline } }: { of: Owner; policies: Policies }) {
  /** The name of what is edited; empty for a new one. */
  const [edited, setEdited] = useState<string>()
  const remove = async (name: string) => {
    const question = { title: text.deleteOwnTitle(name), children: text.deleteOwnText, action: text.deletePolicy }
    if (!(await confirm(question))) return
    await attempt(() => client.deleteInlinePolicy({ params: { ...of, name } }), text.deleted(name))
  }
  return (
    <section className="stack-tight" aria-label={text.own}>
      <h2>{text.own}</h2>
      {inline.length === 0 ? <p className="dim">{text.noOwn}</p> : null}
      <ul className="policy-list">
        {inline.map((name) => (
          <li key={name} className="row">
            <span data-data>{name}</span>
            <ActionIcon aria-label={text.edit(name)} title={text.edit(name)} onClick={() => setEdited(name)}>
              <IconPencil size={16} stroke={1.6} />
            </ActionIcon>
            <ActionIcon
              aria-label={text.deleteOwn(name)}
              title={text.deleteOwn(name)}
              onClick={() => void remove(name)}
            >
              <IconTrash size={16} stroke={1.6} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <div>
        <Button variant="default" leftSection={<IconPlus size={15} />} onClick={() => setEdited('')}>
          {text.newOwn}
        </Button>
      </div>
      {edited === undefined ? null : <OwnEditor of={of} name={edited} onClose={() => setEdited(undefined)} />}
    </section>
  )
}

function OwnEditor({ of, name, onClose }: { of: Owner; name: string; onClose: () => void }) {
  const policy = useQuery({
    queryKey: ['policies-of', of.kind, of.owner, name],
    queryFn: () => client.getInlinePolicy({ params: { ...of, name } }),
    enabled: name !== '',
  })
  return (
    <Modal opened onClose={onClose} title={name === '' ? text.newOwn : name} size="62rem">
      {name === '' ? (
        <OwnFields of={of} name="" before="" onClose={onClose} />
      ) : (
        <StateView query={policy}>
          {({ document }) => <OwnFields key={document} of={of} name={name} before={document} onClose={onClose} />}
        </StateView>
      )}
    </Modal>
  )
}

function OwnFields({ of, name, before, onClose }: { of: Owner; name: string; before: string; onClose: () => void }) {
  const form = useForm({ name, document: before })
  const save = async () => {
    const { document } = form.values
    const params = { ...of, name: form.values.name.trim() }
    if (!(await form.submit(() => client.putInlinePolicy({ params, body: { document } })))) return
    notify.ok(text.saved(params.name))
    onClose()
    await refreshIdentities()
  }
  return (
    <DocumentForm
      form={form}
      before={before}
      action={common.save}
      ready={form.values.name.trim() !== ''}
      onSend={save}
      more={
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
      }
    >
      {name === '' ? (
        <TextInput
          {...form.field('name')}
          label={text.name}
          description={text.nameHint}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          required
          data-autofocus
        />
      ) : null}
    </DocumentForm>
  )
}

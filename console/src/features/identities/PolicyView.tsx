import { Alert, Anchor, Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { IdentityPolicyDetail } from '../../../../contract/identity-policies.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { confirm } from '../../ui/confirm.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { PolicyEditor, useDescription } from '../access-policies/PolicyEditor.tsx'
import { AdminPage } from './AdminPage.tsx'
import { DocumentForm } from './DocumentForm.tsx'
import { text } from './messages.ts'
import { policyQuery, refreshIdentities } from './queries.ts'

type Version = IdentityPolicyDetail['versions'][number]
const PLACES = { user: 'users', group: 'groups', role: 'roles' } as const

/** One policy: what it says, to whom it is attached, and its versions. */
export default function PolicyView() {
  const me = useMe()
  const { params, go } = useView()
  const { policy: id = '' } = params
  const policy = useQuery({ ...policyQuery(id), enabled: me.isAdmin })
  const { data } = policy
  const remove = async (name: string) => {
    const question = {
      title: text.deletePolicyTitle(name),
      children: text.deletePolicyText,
      action: text.deletePolicy,
    }
    if (!(await confirm(question))) return
    try {
      await client.deleteIdentityPolicy({ params: { policy: id } })
    } catch (error) {
      return notify.problem(error)
    }
    notify.ok(text.deleted(name))
    await go('/admin/roles', { tab: 'policies' })
    queries.removeQueries({ queryKey: ['identity-policies', id] })
    await refreshIdentities()
  }
  return (
    <AdminPage
      title={data?.name ?? text.policy}
      hint={data?.description}
      call={{ operation: 'getIdentityPolicy', params: { policy: id } }}
      actions={
        data && !data.builtin ? (
          <Button
            variant="default"
            className="bad"
            leftSection={<IconTrash size={15} />}
            disabled={data.attachments > 0}
            onClick={() => void remove(data.name)}
          >
            {text.deletePolicy}
          </Button>
        ) : null
      }
    >
      <StateView query={policy}>
        {(policy) => (
          <div className="stack">
            {policy.builtin ? <Alert>{text.builtinHint}</Alert> : null}
            <AttachedTo policy={policy} />
            {policy.builtin ? (
              <Shown document={documentOf(policy)} />
            ) : (
              <Editor key={policy.version} policy={policy} before={documentOf(policy)} />
            )}
            {policy.versions.length > 1 ? <Versions policy={policy} /> : null}
          </div>
        )}
      </StateView>
    </AdminPage>
  )
}

const documentOf = ({ versions }: IdentityPolicyDetail): string =>
  versions.find(({ in_force }) => in_force)?.document ?? ''

function AttachedTo({ policy: { attached_to, attachments } }: { policy: IdentityPolicyDetail }) {
  return (
    <section className="stack-tight" aria-label={text.attachedTo}>
      <h2>{text.attachedTo}</h2>
      {attachments === 0 ? (
        <p className="dim">{text.attachedNobody}</p>
      ) : (
        <p className="row">
          {attached_to.map(({ kind, id, name }) => (
            <Anchor key={`${kind} ${id}`} component={Link} to={`/admin/${PLACES[kind]}/${id}`} data-data>
              {name}
            </Anchor>
          ))}
          {attachments > attached_to.length ? <span className="dim">… {text.attachments(attachments)}</span> : null}
        </p>
      )}
    </section>
  )
}

/** What cannot be changed. */
function Shown({ document }: { document: string }) {
  const pretty = JSON.stringify(JSON.parse(document), null, 2)
  return (
    <PolicyEditor
      document={pretty}
      onChange={() => undefined}
      description={useDescription({ kind: 'identity' }, pretty)}
    />
  )
}

function Editor({ policy: { id, name }, before }: { policy: IdentityPolicyDetail; before: string }) {
  const form = useForm({ document: before })
  const save = async () => {
    const body = { document: form.values.document }
    if (!(await form.submit(() => client.updateIdentityPolicy({ params: { policy: id }, body })))) return
    notify.ok(text.saved(name))
    await refreshIdentities()
  }
  return (
    <DocumentForm form={form} before={before} action={text.savePolicy} onSend={save}>
      <p className="dim">{text.saveHint}</p>
    </DocumentForm>
  )
}

function Versions({ policy: { id, name, versions } }: { policy: IdentityPolicyDetail }) {
  const put = async (version: number) => {
    try {
      await client.updateIdentityPolicy({ params: { policy: id }, body: { version } })
      notify.ok(text.saved(name))
    } catch (error) {
      notify.problem(error)
    }
    await refreshIdentities()
  }
  const columns: readonly Column<Version>[] = [
    {
      key: 'version',
      title: text.versions,
      cell: ({ version, in_force }) => (
        <span className="row">
          {text.version(version)}
          {in_force ? <Status tone="ok">{text.inForce}</Status> : null}
        </span>
      ),
    },
    { key: 'created', title: text.created, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
    {
      key: 'put',
      title: text.putInForce,
      untitled: true,
      cell: ({ version, in_force }) =>
        in_force ? null : (
          <Button size="compact-sm" variant="default" onClick={() => void put(version)}>
            {text.putInForce}
          </Button>
        ),
    },
  ]
  return (
    <section className="stack-tight" aria-label={text.versions}>
      <h2>{text.versions}</h2>
      <ListTable label={text.versions} columns={columns} rows={versions} rowKey={({ version }) => String(version)} />
    </section>
  )
}

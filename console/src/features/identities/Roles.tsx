import { Anchor, Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { IdentityPolicy } from '../../../../contract/identity-policies.ts'
import type { Role } from '../../../../contract/roles.ts'
import { useMe } from '../../api/queries.ts'
import { Link } from '../../navigation/Link.tsx'
import { useView } from '../../navigation/useView.ts'
import { nameLength } from '../../ui/ExpiryField.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { ViewTabs } from '../../ui/ViewTabs.tsx'
import { Count, Status, TimeAgo } from '../../ui/values.tsx'
import { AdminPage } from './AdminPage.tsx'
import { text } from './messages.ts'
import { Providers } from './Providers.tsx'
import { policiesQuery, rolesQuery } from './queries.ts'
import '../access-policies/access-policies.css'

/** What machines are let in by: roles, the policies that can be attached, and the identity providers. */
export default function Roles() {
  const { search } = useView()
  const isPolicies = search.tab === 'policies'
  return (
    <AdminPage
      title={text.title}
      call={{ operation: isPolicies ? 'listIdentityPolicies' : 'listRoles' }}
      actions={
        search.tab === 'providers' ? null : (
          <Button
            component={Link}
            to={isPolicies ? '/admin/new-identity-policy' : '/admin/new-role'}
            leftSection={<IconPlus size={15} />}
          >
            {isPolicies ? text.newPolicy : text.newRole}
          </Button>
        )
      }
    >
      <ViewTabs
        label={text.title}
        tabs={[
          { name: 'roles', label: text.rolesTab, content: () => <RoleList /> },
          { name: 'policies', label: text.policiesTab, content: () => <PolicyList /> },
          { name: 'providers', label: text.providersTab, content: () => <Providers /> },
        ]}
      />
    </AdminPage>
  )
}

const roleColumns: readonly Column<Role>[] = [
  {
    key: 'name',
    breaks: true,
    title: text.name,
    cell: ({ name, description }) => (
      <>
        <Anchor component={Link} to={`/admin/roles/${name}`} fw={600} data-data>
          {name}
        </Anchor>
        {description ? (
          <span className="dim small policy-second" data-data>
            {description}
          </span>
        ) : null}
      </>
    ),
  },
  { key: 'longest', title: text.longest, cell: (role) => nameLength(`${role.max_session_seconds}s`) },
  { key: 'created', title: text.created, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
]

function RoleList() {
  const me = useMe()
  const { go } = useView()
  const roles = useQuery({ ...rolesQuery, enabled: me.isAdmin })
  return (
    <StateView query={roles}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyView title={text.noRoles}>{text.rolesHint}</EmptyView>
        ) : (
          <div className="stack-tight">
            <p className="dim">{text.rolesHint}</p>
            <ListTable
              label={text.rolesTab}
              columns={roleColumns}
              rows={rows}
              rowKey={({ name }) => name}
              onOpen={({ name }) => void go(`/admin/roles/${name}`)}
            />
          </div>
        )
      }
    </StateView>
  )
}

const policyColumns: readonly Column<IdentityPolicy>[] = [
  {
    key: 'name',
    breaks: true,
    title: text.name,
    cell: ({ id, name, description, builtin }) => (
      <>
        <span className="row">
          <Anchor component={Link} to={`/admin/identity-policies/${id}`} fw={600} data-data>
            {name}
          </Anchor>
          {builtin ? <Status tone="note">{text.builtin}</Status> : null}
        </span>
        {description ? (
          <span className="dim small policy-second" data-data>
            {description}
          </span>
        ) : null}
      </>
    ),
  },
  {
    key: 'attached',
    title: text.attachedTo,
    number: true,
    width: 140,
    cell: ({ attachments }) => <Count n={attachments} />,
  },
  {
    key: 'changed',
    title: text.changed,
    optional: true,
    cell: ({ updated_at }) => (updated_at === null ? null : <TimeAgo time={updated_at} />),
  },
]

function PolicyList() {
  const me = useMe()
  const { go } = useView()
  const policies = useQuery({ ...policiesQuery, enabled: me.isAdmin })
  return (
    <StateView query={policies}>
      {(rows) => (
        <div className="stack-tight">
          <p className="dim">{text.policiesHint}</p>
          <ListTable
            label={text.policiesTab}
            columns={policyColumns}
            rows={rows}
            rowKey={({ id }) => id}
            onOpen={({ id }) => void go(`/admin/identity-policies/${id}`)}
          />
        </div>
      )}
    </StateView>
  )
}

import { Alert, Button, Menu } from '@mantine/core'
import { IconDots, IconLogout, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { User } from '../../../../contract/users.ts'
import { readAll } from '../../api/pages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { confirm } from '../../ui/confirm.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { StateView } from '../../ui/StateView.tsx'
import { ViewTabs } from '../../ui/ViewTabs.tsx'
import { groupsQuery, refreshPeople } from '../groups/queries.ts'
import { text as identities } from '../identities/messages.ts'
import { PoliciesOf } from '../identities/PoliciesOf.tsx'
import { Activity } from './Activity.tsx'
import { text } from './messages.ts'
import { Overview } from './Overview.tsx'
import { mayWith, userQuery } from './queries.ts'
import { UserGroups } from './UserGroups.tsx'
import { UserPermissions } from './UserPermissions.tsx'
import { UserAccessKeys, UserTokens } from './UserTokens.tsx'
import './users.css'

/** One user: profile, groups, tokens, activity and permissions. */
export default function UserView() {
  const me = useMe()
  const { params } = useView()
  const { id = '' } = params
  const user = useQuery({ ...userQuery(id), enabled: me.managesUsers })
  if (!me.managesUsers)
    return (
      <Page title={text.title}>
        <ForbiddenView right={text.right} />
      </Page>
    )
  return (
    <Page
      title={user.data?.display_name ?? text.title}
      hint={user.data?.email}
      call={{ operation: 'getUser', params: { id } }}
      actions={user.data ? <Actions user={user.data} /> : null}
    >
      <StateView query={user}>
        {(user) => (
          <>
            <Banners user={user} />
            <ViewTabs
              label={user.display_name}
              tabs={[
                { name: 'overview', label: text.overviewTab, content: () => <Overview key={user.id} user={user} /> },
                {
                  name: 'groups',
                  label: `${text.groupsTab} (${user.groups.length})`,
                  content: () => <UserGroups user={user} />,
                },
                { name: 'permissions', label: text.permissionsTab, content: () => <UserPermissions user={user} /> },
                ...(me.isAdmin
                  ? [
                      {
                        name: 'policies',
                        label: identities.policiesTab,
                        content: () => <PoliciesOf kind="user" owner={user.id} />,
                      },
                      { name: 'tokens', label: text.tokensTab, content: () => <UserTokens user={user} /> },
                      { name: 'keys', label: text.keysTab, content: () => <UserAccessKeys user={user} /> },
                      { name: 'activity', label: text.activityTab, content: () => <Activity user={user} /> },
                    ]
                  : []),
              ]}
            />
          </>
        )}
      </StateView>
    </Page>
  )
}

/** What keeps the user from doing anything. */
function Banners({ user }: { user: User }) {
  const me = useMe()
  const { search, open } = useView()
  const { display_name: name } = user
  return (
    <>
      {user.is_admin && !me.isAdmin ? <Alert>{text.foreignAdmin}</Alert> : null}
      {user.is_active ? null : (
        <Alert className="alert-warn" title={text.disabledTitle(name)}>
          {text.disabledHint}
        </Alert>
      )}
      {user.has_password || user.idp_subject !== null || user.invitation_expires_at !== null ? null : (
        <Alert className="alert-warn" title={text.noWayInTitle(name)}>
          {text.noWayInHint}
        </Alert>
      )}
      {user.groups.length > 0 ? null : (
        <Alert className="alert-warn" title={text.noGroupTitle(name)}>
          <div className="row">
            {text.noGroupHint}
            {search.tab === 'groups' ? null : (
              <Button variant="default" onClick={() => void open({ tab: 'groups' })}>
                {text.chooseGroups}
              </Button>
            )}
          </div>
        </Alert>
      )}
    </>
  )
}

function Actions({ user }: { user: User }) {
  const me = useMe()
  const cache = useQueryClient()
  const { go } = useView()
  const { data: groups = [] } = useQuery(groupsQuery)
  const { id, email, is_active } = user
  const may = mayWith(me, user, groups)

  const attempt = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work()
      notify.ok(done)
      await refreshPeople(cache)
    } catch (error) {
      notify.problem(error)
    }
  }
  const setActive = async (is_active: boolean) => {
    if (!is_active) {
      const question = { title: text.disableTitle(email), children: text.disableHint, action: text.disable }
      if (!(await confirm(question))) return
    }
    const change = () => client.updateUser({ params: { id }, body: { is_active } })
    await attempt(change, is_active ? text.enabled(email) : text.disabledNow(email))
  }
  const endSessions = async () => {
    const question = { title: text.endTitle(1), children: text.endHint, action: text.endSessions }
    if (await confirm(question))
      await attempt(() => client.endUserSessions({ params: { id } }), text.sessionsEnded(email))
  }
  const remove = async () => {
    const tokens = me.isAdmin ? await liveTokens(id).catch(() => undefined) : undefined
    const yes = await confirm({
      title: text.deleteTitle(email),
      children: (
        <div className="stack-tight">
          <p>{text.deleteHint}</p>
          {user.groups.length === 0 ? null : <p>{text.deleteGroups(user.groups.length)}</p>}
          {tokens === undefined || tokens === 0 ? null : <p>{text.deleteTokens(tokens)}</p>}
          <p>{text.deleteStays}</p>
        </div>
      ),
      action: text.delete,
    })
    if (!yes) return
    try {
      await client.deleteUser({ params: { id } })
    } catch (error) {
      return notify.problem(error)
    }
    notify.ok(text.deleted(email))
    await go('/admin/users')
    cache.removeQueries({ queryKey: ['user', id] })
    await refreshPeople(cache)
  }
  if (!may.touch) return null
  return (
    <>
      {is_active ? (
        <Button
          variant="default"
          leftSection={<IconUserOff size={15} />}
          disabled={!may.end}
          title={may.own ? text.ownAccount : undefined}
          onClick={() => void setActive(false)}
        >
          {text.disable}
        </Button>
      ) : (
        <Button leftSection={<IconUserCheck size={15} />} onClick={() => void setActive(true)}>
          {text.enable}
        </Button>
      )}
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDots size={15} />}>
            {text.moreActions}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void endSessions()}>
            {text.endSessions}
          </Menu.Item>
          <Menu.Item
            className={may.end ? 'bad' : ''}
            leftSection={<IconTrash size={15} />}
            disabled={!may.end}
            onClick={() => void remove()}
          >
            {text.delete}
          </Menu.Item>
          {may.own ? <Menu.Label>{text.ownAccount}</Menu.Label> : null}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

const liveTokens = async (id: string): Promise<number> => {
  const tokens = await readAll((at) => client.listUserTokens({ params: { id }, query: { limit: 1000, ...at } }))
  return tokens.filter(({ status }) => status === 'active' || status === 'expiring').length
}

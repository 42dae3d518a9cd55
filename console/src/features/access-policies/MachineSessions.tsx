import './access-policies.css'
import { Button, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { useState } from 'react'
import type { MachineSession, operations } from '../../../../contract/machine-sessions.ts'
import type { Input } from '../../../../contract/route.ts'
import { useCursorList } from '../../api/pages.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { MomentField } from '../../ui/MomentField.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { TimeAgo } from '../../ui/values.tsx'
import { machines as text } from './messages.ts'

type Choice = Input<(typeof operations)['endMachineSessions']>['query']

/** Ends sessions, once whoever asks for it has confirmed what they name. */
async function end(query: Choice, title: string): Promise<void> {
  if (!(await confirm({ title, children: text.endText, action: text.endAll }))) return
  try {
    notify.ok(text.ended((await client.endMachineSessions({ query })).sessions))
  } catch (error) {
    notify.problem(error)
  }
  await queries.invalidateQueries({ queryKey: ['machine-sessions'] })
}

function Actions({ session: { id, session_name, role, user_id, email, provider } }: { session: MachineSession }) {
  return (
    <MenuButton
      label={text.actions(session_name)}
      items={
        <>
          <Menu.Item onClick={() => void end({ id }, text.endTitle(session_name))}>{text.end}</Menu.Item>
          {role === null ? null : (
            <Menu.Item onClick={() => void end({ role }, text.endRole(role))}>{text.endRole(role)}</Menu.Item>
          )}
          {user_id === null ? null : (
            <Menu.Item onClick={() => void end({ user_id }, text.endUser(email ?? user_id))}>
              {text.endUser(email ?? user_id)}
            </Menu.Item>
          )}
          {provider === null ? null : (
            <Menu.Item onClick={() => void end({ provider }, text.endProvider(provider))}>
              {text.endProvider(provider)}
            </Menu.Item>
          )}
        </>
      }
    >
      <IconDots size={17} stroke={1.6} />
    </MenuButton>
  )
}

const columns: readonly Column<MachineSession>[] = [
  {
    key: 'who',
    breaks: true,
    title: text.who,
    cell: ({ session_name, email, subject, provider }) => (
      <>
        <strong data-data>{session_name}</strong>
        <span className="dim small policy-second">{[email ?? subject, provider].filter(Boolean).join(' · ')}</span>
      </>
    ),
  },
  { key: 'role', breaks: true, title: text.role, cell: ({ role }) => role ?? <span className="dim">{text.own}</span> },
  { key: 'address', title: text.address, optional: true, cell: ({ ip }) => <span data-data>{ip}</span> },
  { key: 'opened', title: text.opened, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
  { key: 'expires', title: text.expires, cell: ({ expires_at }) => <TimeAgo time={expires_at} /> },
  { key: 'actions', ...actionsShape, width: 52, cell: (session) => <Actions session={session} /> },
]

/** The sessions of temporary credentials, and how to end them. */
export default function MachineSessions() {
  const me = useMe()
  const [until, setUntil] = useState('')
  const list = useCursorList<MachineSession>(
    ['machine-sessions'],
    (cursor) => client.listMachineSessions({ query: cursor }),
    { enabled: me.isAdmin },
  )
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right="admin" />
      </Page>
    )
  const endAll = () => end(until === '' ? {} : { before: new Date(until).toISOString() }, text.endAllTitle)
  return (
    <Page title={text.title} hint={text.hint} call={{ operation: 'listMachineSessions' }}>
      <StateView query={list}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyView title={text.emptyTitle}>{text.emptyHint}</EmptyView>
          ) : (
            <div className="stack">
              <div className="policy-end">
                <MomentField
                  label={text.until}
                  description={text.untilHint}
                  value={until}
                  onChange={(event) => setUntil(event.currentTarget.value)}
                />
                <Button variant="default" className="bad" onClick={() => void endAll()}>
                  {text.endAll}
                </Button>
              </div>
              <ListTable label={text.title} columns={columns} rows={rows} rowKey={({ id }) => id} more={list.more} />
            </div>
          )
        }
      </StateView>
    </Page>
  )
}

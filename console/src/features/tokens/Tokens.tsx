import { ActionIcon, Button, Menu, Switch } from '@mantine/core'
import { IconDots, IconKeyOff, IconPlus, IconRefresh } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewToken, Token } from '../../../../contract/tokens.ts'
import { curlOf } from '../../api/curl.ts'
import { useView } from '../../navigation.ts'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { CreateToken } from './CreateToken.tsx'
import { text } from './messages.ts'
import { tokensQuery } from './queries.ts'
import { RevealToken } from './RevealToken.tsx'
import { RevokeToken } from './RevokeToken.tsx'
import { RotateToken } from './RotateToken.tsx'

const tones: Record<Token['status'], Tone> = { active: 'ok', expiring: 'warn', expired: 'idle', revoked: 'bad' }
const isLive = ({ status }: Token): boolean => status === 'active' || status === 'expiring'

type Asked = { what: 'create' } | { what: 'rotate' | 'revoke'; token: Token }

/** The user's personal access tokens. */
export default function Tokens() {
  const { search, change } = useView()
  const tokens = useInfiniteQuery(tokensQuery)
  const [asked, setAsked] = useState<Asked>()
  // A value exists only here, and only while it is shown.
  const [made, setMade] = useState<{ token: NewToken; title: string }>()
  const showEnded = search.ended === '1'
  const close = () => setAsked(undefined)
  const show = (title: string) => (token: NewToken) => {
    close()
    setMade({ token, title })
  }
  const columns: readonly Column<Token>[] = [
    {
      key: 'name',
      title: text.name,
      cell: ({ name, created_by_token_id }) => (
        <>
          <strong>{name}</strong>
          {created_by_token_id ? <span className="dim small"> {text.byToken}</span> : null}
        </>
      ),
    },
    { key: 'prefix', title: text.prefix, optional: true, cell: (token) => <code>{token.token_prefix}…</code> },
    { key: 'created', title: text.created, optional: true, cell: (token) => <TimeAgo time={token.created_at} /> },
    {
      key: 'used',
      title: text.lastUsed,
      optional: true,
      cell: ({ last_used_at }) => (
        <span className="nowrap">
          {last_used_at ? `${text.about} ` : ''}
          <TimeAgo time={last_used_at} none={text.neverUsed} />
        </span>
      ),
    },
    { key: 'expires', title: text.expires, cell: (token) => <TimeAgo time={token.expires_at} none={text.neverEnds} /> },
    { key: 'state', title: text.state, cell: ({ status }) => <Status tone={tones[status]}>{text[status]}</Status> },
    {
      key: 'actions',
      title: '',
      width: 48,
      cell: (token) =>
        isLive(token) ? (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon aria-label={text.actions(token.name)}>
                <IconDots size={17} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => setAsked({ what: 'rotate', token })}>
                {text.rotate}
              </Menu.Item>
              <Menu.Item
                color="danger"
                leftSection={<IconKeyOff size={15} />}
                onClick={() => setAsked({ what: 'revoke', token })}
              >
                {text.revoke}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        ) : null,
    },
  ]
  const create = (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setAsked({ what: 'create' })}>
      {text.create}
    </Button>
  )
  return (
    <Page title={text.title} hint={text.hint} actions={create} call={{ operation: 'listTokens' }}>
      <StateView query={tokens}>
        {({ pages }) => {
          const all = pages.flatMap(({ items }) => items)
          const rows = showEnded ? all : all.filter(isLive)
          if (all.length === 0)
            return (
              <EmptyView
                title={text.emptyTitle}
                action={create}
                curl={curlOf({ operation: 'createToken', body: { name: 'backup', expires_in: '90d' } })}
              >
                {text.emptyHint}
              </EmptyView>
            )
          return (
            <>
              <div className="filters">
                <Switch
                  label={text.showEnded}
                  checked={showEnded}
                  onChange={(event) => void change({ ended: event.currentTarget.checked ? '1' : undefined })}
                />
                <span className="dim" role="status">
                  {text.count(rows.length)}
                </span>
              </div>
              {rows.length === 0 ? (
                <EmptyView title={text.onlyEnded} action={create}>
                  {text.onlyEndedHint}
                </EmptyView>
              ) : (
                <ListTable
                  label={text.title}
                  columns={columns}
                  rows={rows}
                  rowKey={({ id }) => id}
                  more={{
                    available: tokens.hasNextPage,
                    loading: tokens.isFetchingNextPage,
                    load: tokens.fetchNextPage,
                  }}
                />
              )}
            </>
          )
        }}
      </StateView>
      {asked?.what === 'create' ? <CreateToken onMade={show(text.revealTitle)} onClose={close} /> : null}
      {asked?.what === 'rotate' ? (
        <RotateToken token={asked.token} onMade={show(text.rotatedTitle)} onClose={close} />
      ) : null}
      {asked?.what === 'revoke' ? <RevokeToken token={asked.token} onClose={close} /> : null}
      {made ? <RevealToken {...made} onClose={() => setMade(undefined)} /> : null}
    </Page>
  )
}

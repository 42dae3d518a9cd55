import { Button, Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Token } from '../../../../contract/tokens.ts'
import type { User } from '../../../../contract/users.ts'
import { type CursorList, useCursorList } from '../../api/pages.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { scopeColumn, tones } from '../tokens/columns.tsx'
import { text } from './messages.ts'

type Credential = Pick<Token, 'id' | 'name' | 'scope' | 'created_at' | 'last_used_at' | 'expires_at' | 'status'>

/** A user's personal access tokens. Administrators can revoke them, but no one can see their values. */
export function UserTokens({ user }: { user: User }) {
  const tokens = useCursorList(['user-tokens', user.id], (at) =>
    client.listUserTokens({ params: { id: user.id }, query: at }),
  )
  return (
    <Credentials
      label={text.tokensTab}
      empty={<EmptyView title={text.noTokens}>{text.noTokensHint}</EmptyView>}
      list={tokens}
      identity={{ title: text.tokenPrefix, of: ({ token_prefix }) => `${token_prefix}…` }}
      queryKey={['user-tokens', user.id]}
      revocation={({ id }) => {
        let cascade = false
        const question = (
          <Checkbox
            label={text.revokeCascade}
            onChange={(event) => {
              cascade = event.currentTarget.checked
            }}
          />
        )
        return { question, send: () => client.revokeToken({ params: { id }, query: { cascade } }) }
      }}
    />
  )
}

/** A user's access keys, likewise. */
export function UserAccessKeys({ user }: { user: User }) {
  const keys = useCursorList(['user-access-keys', user.id], (at) =>
    client.listUserAccessKeys({ params: { id: user.id }, query: at }),
  )
  return (
    <Credentials
      label={text.keysTab}
      empty={<EmptyView title={text.noKeys}>{text.noKeysHint}</EmptyView>}
      list={keys}
      identity={{ title: text.keyId, of: ({ access_key_id }) => access_key_id }}
      queryKey={['user-access-keys', user.id]}
      revocation={({ id }) => ({ send: () => client.revokeAccessKey({ params: { id } }) })}
    />
  )
}

function Credentials<T extends Credential>({
  label,
  empty,
  list,
  identity,
  queryKey,
  revocation,
}: {
  label: string
  empty: ReactNode
  list: CursorList<T>
  identity: { title: string; of: (one: T) => string }
  queryKey: readonly string[]
  /** What is asked beside whether to revoke one, and what revokes it. */
  revocation: (one: T) => { question?: ReactNode; send: () => Promise<unknown> }
}) {
  const cache = useQueryClient()
  const revoke = async (one: T) => {
    const { question, send } = revocation(one)
    const yes = await confirm({
      title: text.revokeTitle(one.name),
      children: (
        <div className="stack-tight">
          <p>{text.revokeHint}</p>
          {question}
        </div>
      ),
      action: text.revoke,
    })
    if (!yes) return
    try {
      await send()
      notify.ok(text.revoked(one.name))
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey })
  }
  const columns: readonly Column<T>[] = [
    { key: 'name', breaks: true, title: text.tokenName, cell: ({ name }) => name },
    {
      key: 'identity',
      title: identity.title,
      optional: true,
      cell: (one) => <code className="mono">{identity.of(one)}</code>,
    },
    scopeColumn,
    { key: 'created', title: text.created, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
    { key: 'used', title: text.tokenUsed, optional: true, cell: ({ last_used_at }) => <TimeAgo time={last_used_at} /> },
    { key: 'expires', title: text.tokenExpires, cell: ({ expires_at }) => <TimeAgo time={expires_at} /> },
    {
      key: 'state',
      title: text.state,
      cell: ({ status }) => <Status tone={tones[status]}>{text.tokenStates(status)}</Status>,
    },
    {
      key: 'revoke',
      ...actionsShape,
      cell: (one) =>
        one.status === 'revoked' ? null : (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={text.revokeOne(one.name)}
            onClick={() => void revoke(one)}
          >
            {text.revoke}
          </Button>
        ),
    },
  ]
  return (
    <StateView query={list}>
      {(rows) =>
        rows.length === 0 ? (
          empty
        ) : (
          <ListTable label={label} columns={columns} rows={rows} rowKey={({ id }) => id} more={list.more} />
        )
      }
    </StateView>
  )
}

import { Button, Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Token } from '../../../../contract/tokens.ts'
import type { User } from '../../../../contract/users.ts'
import { useCursorList } from '../../api/pages.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { text } from './messages.ts'

const tones: Record<Token['status'], Tone> = { active: 'ok', expiring: 'warn', expired: 'idle', revoked: 'bad' }

/** A user's personal access tokens. Administrators can revoke them, but no one can see their values. */
export function UserTokens({ user }: { user: User }) {
  const cache = useQueryClient()
  const tokens = useCursorList(['user-tokens', user.id], (at) =>
    client.listUserTokens({ params: { id: user.id }, query: at }),
  )
  const revoke = async ({ id, name }: Token) => {
    let cascade = false
    const yes = await confirm({
      title: text.revokeTitle(name),
      children: (
        <div className="stack-tight">
          <p>{text.revokeHint}</p>
          <Checkbox
            label={text.revokeCascade}
            onChange={(event) => {
              cascade = event.currentTarget.checked
            }}
          />
        </div>
      ),
      action: text.revoke,
    })
    if (!yes) return
    try {
      await client.revokeToken({ params: { id }, query: { cascade } })
      notify.ok(text.revoked(name))
    } catch (error) {
      notify.problem(error)
    }
    await cache.invalidateQueries({ queryKey: ['user-tokens', user.id] })
  }
  const columns: readonly Column<Token>[] = [
    { key: 'name', title: text.tokenName, cell: ({ name }) => name },
    {
      key: 'prefix',
      title: text.tokenPrefix,
      optional: true,
      cell: ({ token_prefix }) => <code className="mono">{token_prefix}…</code>,
    },
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
      title: '',
      cell: (token) =>
        token.status === 'revoked' ? null : (
          <Button
            variant="default"
            size="compact-sm"
            aria-label={text.revokeOne(token.name)}
            onClick={() => void revoke(token)}
          >
            {text.revoke}
          </Button>
        ),
    },
  ]
  return (
    <StateView query={tokens}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyView title={text.noTokens}>{text.noTokensHint}</EmptyView>
        ) : (
          <ListTable label={text.tokensTab} columns={columns} rows={rows} rowKey={({ id }) => id} more={tokens.more} />
        )
      }
    </StateView>
  )
}

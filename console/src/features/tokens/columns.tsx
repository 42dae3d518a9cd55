import { ActionIcon, Menu } from '@mantine/core'
import { IconDots, IconKeyOff, IconRefresh } from '@tabler/icons-react'
import type { Token } from '../../../../contract/tokens.ts'
import { actionsShape, type Column } from '../../ui/ListTable.tsx'
import { Status, TimeAgo, type Tone } from '../../ui/values.tsx'
import { scopeWords } from './limits.ts'
import { text } from './messages.ts'

/** What every credential that users issue to themselves has. */
export type Credential = Pick<
  Token,
  'name' | 'scope' | 'created_at' | 'last_used_at' | 'expires_at' | 'status' | 'created_by_token_id'
>

export const tones: Record<Token['status'], Tone> = {
  active: 'ok',
  inactive: 'idle',
  expiring: 'warn',
  expired: 'idle',
  revoked: 'bad',
}
export const isLive = ({ status }: Pick<Credential, 'status'>): boolean => status === 'active' || status === 'expiring'

/** The name of a credential. */
export const nameColumn: Column<Credential> = {
  key: 'name',
  breaks: true,
  title: text.name,
  cell: ({ name, created_by_token_id }) => (
    <>
      <strong>{name}</strong>
      {created_by_token_id ? <span className="dim small"> {text.byToken}</span> : null}
    </>
  ),
}

/** What a credential is limited to. */
export const scopeColumn: Column<Pick<Credential, 'scope'> & { policy?: string | null }> = {
  key: 'scope',
  breaks: true,
  title: text.scope,
  optional: true,
  cell: ({ scope, policy }) => {
    if (!scope && !policy) return <span className="dim">{text.anything}</span>
    const own = policy ? <span title={policy}>{text.ownPolicy}</span> : null
    return (
      <>
        {scope ? scopeWords(scope) : null}
        {scope && own ? '; ' : null}
        {own}
      </>
    )
  },
}

/** When a credential was created and used, and how long it lasts. */
export const lifeColumns: readonly Column<Credential>[] = [
  { key: 'created', title: text.created, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
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
  {
    key: 'expires',
    title: text.expires,
    cell: ({ expires_at }) => <TimeAgo time={expires_at} none={text.neverEnds} />,
  },
  { key: 'state', title: text.state, cell: ({ status }) => <Status tone={tones[status]}>{text[status]}</Status> },
]

/** What can be done with a credential, while it is valid. */
export const actionsColumn = <T extends Credential>(
  labelOf: (name: string) => string,
  act: (what: 'rotate' | 'revoke', one: T) => void,
): Column<T> => ({
  key: 'actions',
  ...actionsShape,
  width: 48,
  cell: (one) =>
    isLive(one) ? (
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label={labelOf(one.name)}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => act('rotate', one)}>
            {text.rotate}
          </Menu.Item>
          <Menu.Item color="danger" leftSection={<IconKeyOff size={15} />} onClick={() => act('revoke', one)}>
            {text.revoke}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    ) : null,
})

import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewToken, Token } from '../../../../contract/tokens.ts'
import { curlOf } from '../../api/curl.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import type { Column } from '../../ui/ListTable.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView } from '../../ui/StateView.tsx'
import { CreateToken } from './CreateToken.tsx'
import { CredentialList } from './CredentialList.tsx'
import { actionsColumn, lifeColumns, nameColumn, scopeColumn } from './columns.tsx'
import { text } from './messages.ts'
import { tokensQuery } from './queries.ts'
import { RevealToken } from './RevealToken.tsx'
import { RevokeToken } from './RevokeToken.tsx'
import { Rotate } from './Rotate.tsx'

type Asked = { what: 'create' } | { what: 'rotate' | 'revoke'; token: Token }

/** The user's personal access tokens. */
export default function Tokens() {
  const cache = useQueryClient()
  const tokens = useInfiniteQuery(tokensQuery)
  const { search, change } = useView()
  // A bucket's view asks for a token that is limited to it.
  const { bucket } = search
  const [asked, setAsked] = useState<Asked | undefined>(bucket === undefined ? undefined : { what: 'create' })
  // A value exists only here, and only while it is shown.
  const [made, setMade] = useState<{ token: NewToken; title: string }>()
  const close = () => {
    setAsked(undefined)
    if (bucket !== undefined) void change({ bucket: undefined })
  }
  const show = (title: string) => (token: NewToken) => {
    close()
    setMade({ token, title })
  }
  const columns: readonly Column<Token>[] = [
    nameColumn,
    { key: 'prefix', title: text.prefix, optional: true, cell: (token) => <code>{token.token_prefix}…</code> },
    scopeColumn,
    ...lifeColumns,
    actionsColumn(text.actions, (what, token) => setAsked({ what, token })),
  ]
  const create = (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setAsked({ what: 'create' })}>
      {text.create}
    </Button>
  )
  return (
    <Page title={text.title} hint={text.hint} actions={create} call={{ operation: 'listTokens' }}>
      <CredentialList
        label={text.title}
        query={tokens}
        columns={columns}
        count={text.count}
        onlyEnded={{ title: text.onlyEnded, hint: text.onlyEndedHint, action: create }}
        empty={
          <EmptyView
            title={text.emptyTitle}
            action={create}
            curl={curlOf({ operation: 'createToken', body: { name: 'backup', expires_in: '90d' } })}
          >
            {text.emptyHint}
          </EmptyView>
        }
      />
      {asked?.what === 'create' ? (
        <CreateToken bucket={bucket} onMade={show(text.revealTitle)} onClose={close} />
      ) : null}
      {asked?.what === 'rotate' ? (
        <Rotate
          name={asked.token.name}
          rotate={(body) => client.rotateToken({ params: { id: asked.token.id }, body })}
          onMade={(made) => {
            show(text.rotatedTitle)(made)
            void cache.invalidateQueries({ queryKey: ['tokens'] })
          }}
          onClose={close}
        />
      ) : null}
      {asked?.what === 'revoke' ? <RevokeToken token={asked.token} onClose={close} /> : null}
      {made ? <RevealToken {...made} onClose={() => setMade(undefined)} /> : null}
    </Page>
  )
}

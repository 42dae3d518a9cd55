import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AccessKey, NewAccessKey } from '../../../../contract/access-keys.ts'
import { curlOf } from '../../api/curl.ts'
import { useEndpoint } from '../../api/endpoint.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import type { Column } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyView } from '../../ui/StateView.tsx'
import { CredentialList } from '../tokens/CredentialList.tsx'
import { actionsColumn, lifeColumns, nameColumn, scopeColumn } from '../tokens/columns.tsx'
import { Rotate } from '../tokens/Rotate.tsx'
import { text } from './messages.ts'
import { accessKeysQuery } from './queries.ts'
import { RevealAccessKey } from './RevealAccessKey.tsx'

/** The user's access keys. */
export default function AccessKeys() {
  const cache = useQueryClient()
  const keys = useInfiniteQuery(accessKeysQuery)
  const hasEndpoint = useEndpoint() !== null
  const [rotating, setRotating] = useState<AccessKey>()
  // A secret exists only here, and only while it is shown.
  const [made, setMade] = useState<NewAccessKey>()
  const refresh = () => cache.invalidateQueries({ queryKey: accessKeysQuery.queryKey })
  const revoke = async ({ id, name }: AccessKey) => {
    const { revokeTitle, revokeText, revokeAction } = text
    if (!(await confirm({ title: revokeTitle(name), children: revokeText, action: revokeAction }))) return
    try {
      await client.revokeAccessKey({ params: { id } })
      notify.ok(text.revoked(name))
    } catch (error) {
      notify.problem(error)
    }
    await refresh()
  }
  const columns: readonly Column<AccessKey>[] = [
    nameColumn,
    { key: 'id', title: text.id, optional: true, cell: ({ access_key_id }) => <code>{access_key_id}</code> },
    scopeColumn,
    ...lifeColumns,
    actionsColumn(text.actions, (what, one) => (what === 'rotate' ? setRotating(one) : void revoke(one))),
  ]
  const create = (
    <Button component={Link} to="/access-keys/new" leftSection={<IconPlus size={15} />}>
      {text.create}
    </Button>
  )
  return (
    <Page title={text.title} hint={text.hint} actions={create} call={{ operation: 'listAccessKeys' }}>
      {hasEndpoint ? null : <p className="dim">{text.off}</p>}
      <CredentialList
        label={text.title}
        query={keys}
        columns={columns}
        count={text.count}
        onlyEnded={{ title: text.onlyEnded, hint: text.onlyEndedHint, action: create }}
        empty={
          <EmptyView
            title={text.emptyTitle}
            action={create}
            curl={curlOf({ operation: 'createAccessKey', body: { name: 'backup', expires_in: '90d' } })}
          >
            {text.emptyHint}
          </EmptyView>
        }
      />
      {rotating ? (
        <Rotate
          name={rotating.name}
          rotate={(body) => client.rotateAccessKey({ params: { id: rotating.id }, body })}
          onMade={(next) => {
            setRotating(undefined)
            setMade(next)
            void refresh()
          }}
          onClose={() => setRotating(undefined)}
        />
      ) : null}
      {made ? <RevealAccessKey accessKey={made} title={text.rotatedTitle} onClose={() => setMade(undefined)} /> : null}
    </Page>
  )
}

import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { KmsKey } from '../../../../contract/encryption.ts'
import { curlOf } from '../../api/curl.ts'
import { queries, useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { type Column, ListTable } from '../../ui/ListTable.tsx'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { keysText as text } from './messages.ts'
import { kmsKeysQuery } from './queries.ts'

const columns: readonly Column<KmsKey>[] = [
  { key: 'name', breaks: true, title: text.name, cell: ({ name }) => <strong data-data>{name}</strong> },
  { key: 'kind', title: text.kind, optional: true, cell: ({ kind }) => text.kindName(kind) },
  {
    key: 'where',
    breaks: true,
    title: text.where,
    optional: true,
    cell: ({ endpoint, region }) => <span data-data>{endpoint ?? region ?? text.aws}</span>,
  },
  {
    key: 'id',
    breaks: true,
    title: text.keyId,
    optional: true,
    cell: ({ key_id }) => <span className="mono">{key_id}</span>,
  },
  {
    key: 'state',
    title: text.state,
    cell: ({ enabled }) => <Status tone={enabled ? 'ok' : 'idle'}>{enabled ? text.on : text.off}</Status>,
  },
  { key: 'created', title: text.created, optional: true, cell: ({ created_at }) => <TimeAgo time={created_at} /> },
  { key: 'actions', title: text.actions, cell: (key) => <Actions kmsKey={key} /> },
]

function Actions({ kmsKey: { name, enabled } }: { kmsKey: KmsKey }) {
  const [busy, setBusy] = useState(false)
  const params = { key: name }
  const run = async (work: () => Promise<unknown>, done: string) => {
    setBusy(true)
    try {
      await work()
      notify.ok(done)
    } catch (error) {
      notify.problem(error)
    }
    await queries.invalidateQueries({ queryKey: kmsKeysQuery.queryKey })
    setBusy(false)
  }
  const turn = async () => {
    const question = { title: text.turnOffTitle(name), children: text.turnOffText, action: text.turnOff }
    if (enabled && !(await confirm(question))) return
    await run(
      () => client.updateKmsKey({ params, body: { enabled: !enabled } }),
      enabled ? text.turnedOff(name) : text.turnedOn(name),
    )
  }
  const remove = async () => {
    if (!(await confirm({ title: text.removeTitle(name), children: text.removeText, action: text.remove }))) return
    await run(() => client.deleteKmsKey({ params }), text.removed(name))
  }
  return (
    <span className="row">
      <Button size="compact-sm" variant="default" disabled={busy} onClick={() => void turn()}>
        {enabled ? text.turnOff : text.turnOn}
      </Button>
      <Button size="compact-sm" variant="subtle" color="danger" disabled={busy} onClick={() => void remove()}>
        {text.remove}
      </Button>
    </span>
  )
}

/** The registered keys of key services. */
export default function KmsKeys() {
  const me = useMe()
  const keys = useQuery({ ...kmsKeysQuery, enabled: me.isAdmin })
  if (!me.isAdmin)
    return (
      <Page title={text.title}>
        <ForbiddenView right="admin" />
      </Page>
    )
  const add = (
    <Button component={Link} to="/admin/kms-keys/new" leftSection={<IconPlus size={15} />}>
      {text.add}
    </Button>
  )
  return (
    <Page title={text.title} hint={text.hint} call={{ operation: 'listKmsKeys' }} actions={add}>
      <StateView query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyView
              title={text.emptyTitle}
              action={add}
              curl={curlOf({
                operation: 'createKmsKey',
                body: { name: 'finance', kind: 'aws', region: 'eu-central-1', key_id: 'alias/strongroom' },
              })}
            >
              {text.emptyHint}
            </EmptyView>
          ) : (
            <ListTable label={text.title} columns={columns} rows={rows} rowKey={({ name }) => name} />
          )
        }
      </StateView>
    </Page>
  )
}

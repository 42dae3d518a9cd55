import { Button, Menu, Modal, Textarea, TextInput } from '@mantine/core'
import { IconDots, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OidcProvider } from '../../../../contract/roles.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { confirm } from '../../ui/confirm.tsx'
import { actionsShape, type Column, ListTable } from '../../ui/ListTable.tsx'
import { MenuButton } from '../../ui/MenuButton.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { EmptyView, StateView } from '../../ui/StateView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { Status, TimeAgo } from '../../ui/values.tsx'
import { text } from './messages.ts'
import { providersQuery, refreshIdentities } from './queries.ts'

const columns: readonly Column<OidcProvider>[] = [
  {
    key: 'issuer',
    breaks: true,
    title: text.issuer,
    cell: ({ issuer, own }) => (
      <span className="row">
        <strong data-data>{issuer}</strong>
        {own ? <Status tone="note">{text.ownProvider}</Status> : null}
      </span>
    ),
  },
  {
    key: 'audiences',
    breaks: true,
    title: text.audiences,
    cell: ({ audiences }) =>
      audiences.length === 0 ? (
        <span className="dim">{text.anyAudience}</span>
      ) : (
        <span data-data>{audiences.join(', ')}</span>
      ),
  },
  {
    key: 'created',
    title: text.created,
    optional: true,
    cell: ({ created_at }) => (created_at === null ? null : <TimeAgo time={created_at} />),
  },
  {
    key: 'actions',
    ...actionsShape,
    width: 52,
    cell: (provider) => (provider.created_at === null ? null : <Actions provider={provider} />),
  },
]

/** The identity providers whose tokens open sessions. */
export function Providers() {
  const me = useMe()
  const [adding, setAdding] = useState(false)
  const providers = useQuery({ ...providersQuery, enabled: me.isAdmin })
  const add = (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setAdding(true)}>
      {text.newProvider}
    </Button>
  )
  return (
    <StateView query={providers}>
      {(rows) => (
        <>
          {rows.length === 0 ? (
            <EmptyView title={text.noProviders} action={add}>
              {text.providersHint}
            </EmptyView>
          ) : (
            <div className="stack">
              <p className="dim">{text.providersHint}</p>
              <ListTable label={text.providersTab} columns={columns} rows={rows} rowKey={({ key }) => key} />
              <div>{add}</div>
            </div>
          )}
          {adding ? <ProviderFields onClose={() => setAdding(false)} /> : null}
        </>
      )}
    </StateView>
  )
}

function Actions({ provider }: { provider: OidcProvider }) {
  const [changing, setChanging] = useState(false)
  const { issuer } = provider
  const remove = async () => {
    const question = { title: text.removeTitle(issuer), children: text.removeText, action: text.remove }
    if (!(await confirm(question))) return
    try {
      await client.deleteOidcProvider({ query: { issuer } })
      notify.ok(text.removed(issuer))
    } catch (error) {
      notify.problem(error)
    }
    await refreshIdentities()
  }
  return (
    <>
      <MenuButton
        label={text.actions(issuer)}
        items={
          <>
            <Menu.Item onClick={() => setChanging(true)}>{text.change}</Menu.Item>
            <Menu.Item className="bad" onClick={() => void remove()}>
              {text.remove}
            </Menu.Item>
          </>
        }
      >
        <IconDots size={17} stroke={1.6} />
      </MenuButton>
      {changing ? <ProviderFields provider={provider} onClose={() => setChanging(false)} /> : null}
    </>
  )
}

/** A new provider, or the audiences of one. */
function ProviderFields({ provider, onClose }: { provider?: OidcProvider; onClose: () => void }) {
  const form = useForm({ issuer: provider?.issuer ?? 'https://', audiences: provider?.audiences.join('\n') ?? '' })
  const save = async () => {
    const { issuer } = form.values
    const lines = form.values.audiences.split('\n').map((one) => one.trim())
    const body = { issuer: issuer.trim(), audiences: [...new Set(lines.filter((one) => one !== ''))] }
    const send = () => (provider ? client.updateOidcProvider({ body }) : client.createOidcProvider({ body }))
    if (!(await form.submit(send, { already_exists: 'issuer' }))) return
    notify.ok(provider ? text.saved(issuer) : text.made(issuer))
    onClose()
    await refreshIdentities()
  }
  return (
    <Modal opened onClose={onClose} title={provider ? text.change : text.newProvider}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextInput
          {...form.field('issuer')}
          label={text.issuer}
          description={text.issuerHint}
          maxLength={255}
          disabled={provider !== undefined}
          autoComplete="off"
          spellCheck={false}
        />
        <Textarea
          {...form.field('audiences')}
          label={text.audiences}
          description={text.audiencesHint}
          autosize
          minRows={2}
          spellCheck={false}
        />
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending}>
            {provider ? common.save : text.add}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

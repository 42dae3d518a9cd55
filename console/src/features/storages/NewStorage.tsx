import './storages.css'
import { Alert, Button, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { STORAGE_NAME } from '../../../../contract/names.ts'
import { type StorageTest, storageKinds } from '../../../../contract/storages.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { type Draft, draftOf, faultOf, isPlace, placeOf } from './draft.ts'
import { FolderPlace, NewCredentials, S3Place } from './Fields.tsx'
import { testText, formText as text, text as words } from './messages.ts'
import { refusalOf } from './refusal.ts'
import { TestCard } from './TestCard.tsx'

const EMPTY = draftOf()
const isName = (name: string) => new RegExp(STORAGE_NAME).test(name)

/** Adds a storage. */
export default function NewStorage() {
  const me = useMe()
  return (
    <Page
      title={text.newTitle}
      hint={me.isAdmin ? text.newHint : undefined}
      {...(me.isAdmin && { call: { operation: 'createStorage' } as const })}
    >
      {me.isAdmin ? <Form /> : <ForbiddenView right={words.right} />}
    </Page>
  )
}

function Form() {
  const cache = useQueryClient()
  const { go } = useView()
  const form = useForm<Draft>(EMPTY)
  const [adding, setAdding] = useState(false)
  const [refusal, setRefusal] = useState<string>()
  const { values } = form
  const { name, kind } = values
  const place = placeOf(values)
  const subject = JSON.stringify(place)
  useLeaveGuard(!adding && JSON.stringify(values) !== JSON.stringify(EMPTY))
  const ready = isPlace(values)
  const test = async () => {
    let found: StorageTest | undefined
    await form.submit(async () => {
      found = await client.testNewStorage({ body: place })
    })
    return found
  }
  const add = async () => {
    let refused: string | undefined
    setAdding(true)
    setRefusal(undefined)
    await form.submit(async () => {
      refused = await refusalOf(client.createStorage({ body: { name, ...place } }))
      if (refused !== undefined) return
      notify.ok(text.added(name))
      await cache.invalidateQueries({ queryKey: ['storages'] })
      await go(`/admin/storages/${name}`)
    })
    setAdding(false)
    setRefusal(refused)
  }
  return (
    <form
      className="storages-columns"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready && isName(name)) void add()
      }}
    >
      <div className="stack storages-fields">
        <section className="card stack" aria-label={text.place}>
          <div className="storages-pair">
            <TextInput
              {...form.field('name')}
              error={name === '' || isName(name) ? faultOf(form, 'name') : text.nameBad}
              label={words.name}
              description={text.nameHint}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autoComplete="off"
              spellCheck={false}
              maxLength={63}
            />
            <Select
              label={words.kind}
              data={storageKinds.map((value) => ({ value, label: words.kindName(value) }))}
              value={kind}
              onChange={(value) => form.set('kind', value === 'file' ? 'file' : 's3')}
            />
          </div>
          {kind === 's3' ? <S3Place form={form} isNew /> : <FolderPlace form={form} />}
        </section>
        {kind === 's3' ? (
          <section className="card stack" aria-labelledby="storage-credentials">
            <div>
              <h2 id="storage-credentials">{text.credentials}</h2>
              <p className="dim small">{text.credentialsHint}</p>
            </div>
            <NewCredentials form={form} />
          </section>
        ) : null}
      </div>
      <TestCard hint={testText.hint} subject={subject} disabled={!ready} ask={test} />
      <div className="stack storages-actions">
        {refusal === undefined ? null : (
          <Alert role="alert" className="alert-bad" title={text.refused}>
            {refusal}
          </Alert>
        )}
        <div className="dialog-actions">
          <Button type="submit" loading={adding} disabled={!ready || !isName(name)}>
            {text.action}
          </Button>
        </div>
      </div>
    </form>
  )
}

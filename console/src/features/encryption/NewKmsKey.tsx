import './encryption.css'
import { Alert, Button, PasswordInput, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { KMS_KEY_NAME } from '../../../../contract/names.ts'
import { codeOf, describeProblem } from '../../api/problem.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { useView } from '../../navigation/useView.ts'
import { notify } from '../../ui/notify.tsx'
import { Page } from '../../ui/Page.tsx'
import { ForbiddenView } from '../../ui/ProblemView.tsx'
import { useForm } from '../../ui/useForm.ts'
import { useLeaveGuard } from '../../ui/useLeaveGuard.ts'
import { newKeyText as text, keysText as words } from './messages.ts'
import { kmsKeysQuery } from './queries.ts'

const EMPTY = {
  name: '',
  kind: 'aws' as 'aws' | 'transit',
  endpoint: '',
  region: '',
  mount: '',
  key_id: '',
  access_key_id: '',
  secret: '',
}
type Draft = typeof EMPTY

const below = { inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input')[] }
const plain = { autoComplete: 'off', spellCheck: false } as const
const orNull = (value: string) => (value.trim() === '' ? null : value.trim())

/** Only what the kind of key service has. */
const bodyOf = ({ name, kind, endpoint, region, mount, key_id, access_key_id, secret }: Draft) => ({
  name,
  kind,
  key_id: key_id.trim(),
  endpoint: orNull(endpoint),
  secret: orNull(secret),
  ...(kind === 'aws'
    ? { region: orNull(region), access_key_id: orNull(access_key_id) }
    : { mount: orNull(mount) ?? 'transit' }),
})

const isName = (name: string) => new RegExp(KMS_KEY_NAME).test(name)
const isReady = ({ name, kind, key_id, endpoint, secret }: Draft): boolean =>
  isName(name) && key_id.trim() !== '' && (kind === 'aws' || (endpoint.trim() !== '' && secret.trim() !== ''))

/** Registers a key of a key service. */
export default function NewKmsKey() {
  const me = useMe()
  return (
    <Page
      title={text.title}
      hint={me.isAdmin ? text.hint : undefined}
      {...(me.isAdmin && { call: { operation: 'createKmsKey' } as const })}
    >
      {me.isAdmin ? <Form /> : <ForbiddenView right="admin" />}
    </Page>
  )
}

function Form() {
  const cache = useQueryClient()
  const { go } = useView()
  const form = useForm<Draft>(EMPTY)
  const [refusal, setRefusal] = useState<string>()
  const [adding, setAdding] = useState(false)
  const { values } = form
  useLeaveGuard(!adding && JSON.stringify(values) !== JSON.stringify(EMPTY))
  const field = (name: keyof Draft) => ({
    ...form.field(name),
    ...plain,
    error: form.faults[name]?.startsWith('must match') ? text.badForm : form.faults[name],
  })
  const add = async () => {
    setAdding(true)
    setRefusal(undefined)
    let refused: string | undefined
    await form.submit(async () => {
      try {
        await client.createKmsKey({ body: bodyOf(values) })
      } catch (error) {
        if (!['conflict', 'busy'].includes(codeOf(error) ?? '')) throw error
        refused = describeProblem(error).detail
        return
      }
      notify.ok(text.added(values.name))
      await cache.invalidateQueries({ queryKey: kmsKeysQuery.queryKey })
      await go('/admin/kms-keys')
    })
    setAdding(false)
    setRefusal(refused)
  }
  return (
    <form
      className="stack encryption-key-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady(values)) void add()
      }}
    >
      <section className="card stack" aria-label={text.key}>
        <TextInput
          {...field('name')}
          {...below}
          error={values.name === '' || isName(values.name) ? form.faults.name : text.nameBad}
          label={words.name}
          description={text.nameHint}
          maxLength={63}
        />
        <Select
          label={words.kind}
          data={(['aws', 'transit'] as const).map((value) => ({ value, label: words.kindName(value) }))}
          value={values.kind}
          onChange={(value) => form.set('kind', value === 'transit' ? 'transit' : 'aws')}
          allowDeselect={false}
        />
        <TextInput
          {...field('endpoint')}
          {...below}
          label={text.endpoint}
          description={values.kind === 'aws' ? text.endpointHintAws : text.endpointHintTransit}
          placeholder={values.kind === 'aws' ? '' : 'https://vault.example.org:8200'}
          maxLength={512}
        />
        {values.kind === 'aws' ? (
          <TextInput {...field('region')} label={text.region} placeholder="eu-central-1" maxLength={64} data-data />
        ) : (
          <TextInput {...field('mount')} label={text.mount} placeholder="transit" maxLength={128} data-data />
        )}
        <TextInput
          {...field('key_id')}
          {...below}
          label={words.keyId}
          description={values.kind === 'aws' ? text.keyIdHintAws : text.keyIdHintTransit}
          maxLength={256}
        />
      </section>
      <section className="card stack" aria-label={text.credentials}>
        {values.kind === 'aws' ? (
          <TextInput
            {...field('access_key_id')}
            {...below}
            label={text.accessKeyId}
            description={text.accessKeyIdHint}
            maxLength={128}
          />
        ) : null}
        <PasswordInput
          {...field('secret')}
          {...below}
          label={values.kind === 'aws' ? text.secret : text.token}
          description={text.secretHint}
          maxLength={1024}
        />
      </section>
      {refusal === undefined ? null : (
        <Alert role="alert" className="alert-bad" title={text.refused}>
          {refusal}
        </Alert>
      )}
      <div className="dialog-actions">
        <Button type="submit" loading={adding} disabled={!isReady(values)}>
          {text.action}
        </Button>
      </div>
    </form>
  )
}

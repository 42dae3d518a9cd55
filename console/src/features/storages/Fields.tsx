import './storages.css'
import { PasswordInput, Select, TextInput } from '@mantine/core'
import { SecretInput } from '../settings/SecretInput.tsx'
import { type Draft, faultOf, type StorageForm, styles } from './draft.ts'
import { formText as text } from './messages.ts'

const below = { inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input')[] }
const plain = { autoComplete: 'off', spellCheck: false } as const

const field = (form: StorageForm, name: Exclude<keyof Draft, 'secret_access_key'>) => ({
  ...form.field(name),
  ...plain,
  error: faultOf(form, name),
})

/** How an S3 engine is addressed; of a new storage, also its place there. */
export function S3Place({ form, isNew = false }: { form: StorageForm; isNew?: boolean }) {
  return (
    <>
      <TextInput
        {...field(form, 'endpoint')}
        {...below}
        label={text.endpoint}
        description={text.endpointHint}
        placeholder="https://s3.example.org"
        maxLength={512}
      />
      {isNew ? (
        <div className="storages-pair">
          <TextInput {...field(form, 'bucket')} label={text.bucket} maxLength={63} required withAsterisk={false} />
          <TextInput
            {...field(form, 'prefix')}
            {...below}
            label={text.prefix}
            description={text.prefixHint}
            maxLength={512}
          />
        </div>
      ) : null}
      <div className="storages-pair">
        <TextInput {...field(form, 'region')} label={text.region} placeholder="eu-central-1" maxLength={64} data-data />
        <Select
          {...below}
          label={text.style}
          description={text.styleHint}
          data={styles.map((value) => ({ value, label: text.styleName(value) }))}
          value={form.values.path_style}
          onChange={(value) => form.set('path_style', (value ?? 'auto') as Draft['path_style'])}
          error={faultOf(form, 'path_style')}
        />
      </div>
    </>
  )
}

/** The credentials of a new storage. */
export const NewCredentials = ({ form }: { form: StorageForm }) => (
  <div className="storages-pair">
    <TextInput {...field(form, 'access_key_id')} label={text.keyId} maxLength={128} />
    <PasswordInput
      {...below}
      {...plain}
      label={text.secret}
      description={text.secretHint}
      value={form.values.secret_access_key ?? ''}
      onChange={(event) => form.set('secret_access_key', event.currentTarget.value)}
      error={faultOf(form, 'secret_access_key')}
      maxLength={256}
    />
  </div>
)

/** The credentials of a saved storage: its secret is write-only, and without a key ID there is none. */
export function Credentials({ form, before }: { form: StorageForm; before: Draft }) {
  const { values, set } = form
  const { access_key_id, secret_access_key } = values
  const isSet = before.access_key_id !== ''
  return (
    <>
      <TextInput
        {...field(form, 'access_key_id')}
        {...below}
        label={text.keyId}
        description={text.credentialsHint}
        onChange={({ currentTarget: { value } }) => {
          if (value === '') set('secret_access_key', isSet ? null : undefined)
          else if (secret_access_key === null) set('secret_access_key', undefined)
          set('access_key_id', value)
        }}
        maxLength={128}
      />
      <SecretInput
        label={text.secret}
        description={text.secretHint}
        fault={faultOf(form, 'secret_access_key')}
        fixed={access_key_id === '' && secret_access_key === undefined}
        isSet={isSet}
        draft={secret_access_key}
        onChange={(secret) => {
          if (secret === null) set('access_key_id', '')
          set('secret_access_key', secret)
        }}
        onForget={() => {
          if (access_key_id === '') set('access_key_id', before.access_key_id)
          set('secret_access_key', undefined)
        }}
      />
    </>
  )
}

/** The folder of a new storage. */
export const FolderPlace = ({ form }: { form: StorageForm }) => (
  <TextInput
    {...field(form, 'folder')}
    {...below}
    label={text.folder}
    description={text.folderHint}
    placeholder="/mnt/disk2/strongroom"
    maxLength={1024}
    required
    withAsterisk={false}
  />
)

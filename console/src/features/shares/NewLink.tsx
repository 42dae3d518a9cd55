import { Button, Input, NumberInput, SegmentedControl } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewShare } from '../../../../contract/shares.ts'
import { useReadOnly } from '../../api/buckets.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { MB } from '../../i18n.ts'
import { ExpiryField, expiresIn } from '../../ui/ExpiryField.tsx'
import { text as common } from '../../ui/messages.ts'
import { FileFields, given, LimitFields, MessageField, NotifyField, said, termsOf, useNewLinkForm } from './limits.tsx'
import { text } from './messages.ts'
import { anyTypes, TypesField, typesOf } from './TypesField.tsx'
import { WhoMayOpen } from './WhoMayOpen.tsx'

export type Target = { bucket: string; name: string } & (
  | { kind: 'object'; key: string }
  | { kind: 'folder'; prefix: string }
  | { kind: 'selection'; keys: readonly string[] }
)
const bytes = (megabytes: number | string): number | undefined => {
  const n = given(megabytes)
  return n === undefined ? undefined : Math.round(n * MB)
}
/** The form for a new link. */
export function NewLink({
  target,
  takes: wantsFiles,
  onMade,
  onTakes,
  onClose,
}: {
  target: Target
  /** Whether it is to be an upload link, where the folder allows that. */
  takes: boolean
  onMade: (share: NewShare) => void
  /** Whether it now is to be one. */
  onTakes: (takes: boolean) => void
  onClose: () => void
}) {
  const me = useMe()
  const cache = useQueryClient()
  const { form, lengths } = useNewLinkForm({
    purpose: wantsFiles ? 'take' : 'give',
    max_file_bytes: '' as number | string,
    max_total_bytes: '' as number | string,
    max_files: '' as number | string,
    content_types: anyTypes,
  })
  const { values, faults } = form
  const [typesFault, setTypesFault] = useState<string>()
  const takesFiles = useReadOnly(target.bucket) === false
  const mayTake = takesFiles && target.kind === 'folder' && me.can('write', target.bucket, target.prefix)
  const mayGive = target.kind !== 'folder' || me.can('read', target.bucket, target.prefix)
  const takes = mayTake && (values.purpose === 'take' || !mayGive)
  const kind = takes ? 'upload' : target.kind

  const create = async () => {
    const types = typesOf(values.content_types)
    if (takes && types === undefined) return setTypesFault(text.badTypes)
    const length = expiresIn(values.expires_in)
    if (length === undefined) return
    let share: NewShare | undefined
    const where =
      target.kind === 'object'
        ? { key: target.key }
        : target.kind === 'selection'
          ? { keys: [...target.keys] }
          : { prefix: target.prefix }
    const done = await form.submit(async () => {
      share = await client.createShare({
        body: {
          kind,
          bucket: target.bucket,
          ...where,
          expires_in: length,
          ...termsOf(values),
          ...(takes ? {} : said({ max_downloads: given(values.max_downloads) })),
          ...(kind === 'object' ? said({ filename: values.filename }) : {}),
          ...(kind === 'object' ? { disposition: values.disposition as 'inline' | 'attachment' } : {}),
          ...(takes
            ? said({
                max_file_bytes: bytes(values.max_file_bytes),
                max_total_bytes: bytes(values.max_total_bytes),
                max_files: given(values.max_files),
                content_types: types?.length ? types : undefined,
              })
            : {}),
        },
      })
    })
    if (!done || !share) return
    onMade(share)
    await cache.invalidateQueries({ queryKey: ['shares'] })
  }
  const number = (name: 'max_file_bytes' | 'max_total_bytes' | 'max_files', label: string) => (
    <NumberInput
      label={label}
      value={values[name]}
      onChange={(value) => form.set(name, value)}
      error={faults[name]}
      min={1}
      hideControls
    />
  )
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      {mayTake && mayGive ? (
        <Input.Wrapper label={text.purpose} labelElement="div">
          <SegmentedControl
            aria-label={text.purpose}
            fullWidth
            mt={4}
            data={[
              { value: 'give', label: text.toGive },
              { value: 'take', label: text.toTake },
            ]}
            value={values.purpose}
            onChange={(value) => {
              form.set('purpose', value)
              onTakes(value === 'take')
            }}
          />
        </Input.Wrapper>
      ) : null}
      <ExpiryField
        label={text.expires}
        lengths={lengths}
        value={values.expires_in}
        onChange={(next) => form.set('expires_in', next)}
        error={faults.expires_in}
      />
      <LimitFields values={values} faults={faults} set={form.set} kind={kind} />
      {takes ? (
        <>
          <div className="shares-three">
            {number('max_files', text.maxFiles)}
            {number('max_file_bytes', text.maxFileSize)}
            {number('max_total_bytes', text.maxTotalSize)}
          </div>
          <TypesField
            value={values.content_types}
            error={typesFault ?? faults.content_types}
            onChange={(next) => {
              form.set('content_types', next)
              setTypesFault(undefined)
            }}
          />
        </>
      ) : null}
      <MessageField
        value={values.message}
        error={faults.message}
        onChange={(message) => form.set('message', message)}
      />
      <NotifyField value={values.notify} onChange={(notify) => form.set('notify', notify)} />
      {kind === 'object' ? (
        <details className="shares-more">
          <summary>{text.more}</summary>
          <div className="stack">
            <FileFields values={values} faults={faults} set={form.set} name={target.name} />
          </div>
        </details>
      ) : null}
      <WhoMayOpen kind={kind} hasPassword={values.password !== ''} />
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={form.sending} disabled={expiresIn(values.expires_in) === undefined}>
          {text.create}
        </Button>
      </div>
    </form>
  )
}

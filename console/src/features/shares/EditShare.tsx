import { Button, Checkbox, Modal } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Share } from '../../../../contract/shares.ts'
import { useMe } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { ExpiryField, expiresIn, lengthsUpTo } from '../../ui/ExpiryField.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { nameOf } from './describe.ts'
import { FileFields, LimitFields, limitsOf, MessageField, NotifyField } from './limits.tsx'
import { text } from './messages.ts'
import { TypesField, typesFrom, typesOf } from './TypesField.tsx'

const sorted = (types: readonly string[]) => types.toSorted().join()

/** Edits a link's limits. The link itself stays the same. */
export function EditShare({ share, onClose }: { share: Share; onClose: () => void }) {
  const me = useMe()
  const cache = useQueryClient()
  const lengths = lengthsUpTo(me.limits.share_max_expires_in, ['1h', '1d', '7d', '30d'])
  const form = useForm({
    ...limitsOf(share),
    expires_in: { choice: lengths.includes('7d') ? '7d' : (lengths.at(-1) ?? '7d'), at: '' },
    newExpiry: false,
    noPassword: false,
    content_types: typesFrom(share.content_types),
  })
  const { values, faults } = form
  const [typesFault, setTypesFault] = useState<string>()
  const types = typesOf(values.content_types)
  const isSameTypes = types !== undefined && sorted(types) === sorted(share.content_types ?? [])
  const message = values.message.trim() === '' ? null : values.message.trim()
  const length = values.newExpiry ? expiresIn(values.expires_in) : null
  const save = async () => {
    if (types === undefined) return setTypesFault(text.badTypes)
    if (length === undefined) return
    const max_downloads = typeof values.max_downloads === 'number' ? values.max_downloads : null
    const done = await form.submit(() =>
      client.updateShare({
        params: { id: share.id },
        body: {
          ...(length === null ? {} : { expires_in: length }),
          ...(values.noPassword ? { password: null } : values.password === '' ? {} : { password: values.password }),
          ...(message === share.message ? {} : { message }),
          ...(values.notify === share.notify ? {} : { notify: values.notify }),
          ...(share.kind === 'upload' ? {} : { max_downloads }),
          ...(isSameTypes ? {} : { content_types: types.length === 0 ? null : types }),
          ...(share.kind === 'object'
            ? {
                filename: values.filename === '' ? null : values.filename,
                disposition: values.disposition as 'inline' | 'attachment',
              }
            : {}),
        },
      }),
    )
    if (!done) return
    notify.ok(text.saved)
    onClose()
    await cache.invalidateQueries({ queryKey: ['shares'] })
  }
  const nothing =
    share.kind === 'upload' &&
    length === null &&
    values.password === '' &&
    !values.noPassword &&
    message === share.message &&
    values.notify === share.notify &&
    isSameTypes
  const name = nameOf(share)
  return (
    <Modal opened onClose={onClose} title={text.editTitle(name)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Checkbox
          label={text.changeExpiry}
          description={share.expires_at === null ? common.untilNever : undefined}
          checked={values.newExpiry}
          onChange={(event) => form.set('newExpiry', event.currentTarget.checked)}
        />
        {values.newExpiry ? (
          <ExpiryField
            label={text.expires}
            lengths={lengths}
            value={values.expires_in}
            onChange={(next) => form.set('expires_in', next)}
            error={faults.expires_in}
          />
        ) : null}
        <LimitFields
          values={values}
          faults={faults}
          set={form.set}
          kind={share.kind}
          {...(share.has_password ? { passwordHint: text.passwordKept } : {})}
        >
          {share.has_password ? (
            <Checkbox
              label={text.removePassword}
              checked={values.noPassword}
              onChange={(event) => form.set('noPassword', event.currentTarget.checked)}
            />
          ) : null}
        </LimitFields>
        {share.kind === 'upload' ? (
          <TypesField
            value={values.content_types}
            error={typesFault ?? faults.content_types}
            onChange={(next) => {
              form.set('content_types', next)
              setTypesFault(undefined)
            }}
          />
        ) : null}
        <MessageField value={values.message} error={faults.message} onChange={(next) => form.set('message', next)} />
        <NotifyField
          value={values.notify}
          label={share.created_by === me.id ? text.notify : text.notifyCreator}
          onChange={(next) => form.set('notify', next)}
        />
        {share.kind === 'object' ? (
          <FileFields values={values} faults={faults} set={form.set} name={name.split('/').at(-1) ?? name} />
        ) : null}
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={length === undefined || nothing}>
            {text.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

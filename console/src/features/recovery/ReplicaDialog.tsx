import { Anchor, Button, Modal, Select, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { bucketsQuery } from '../../api/buckets.ts'
import { queries } from '../../api/queries.ts'
import { client } from '../../api/session.ts'
import { Link } from '../../navigation/Link.tsx'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { useForm } from '../../ui/useForm.ts'
import { storagesQuery } from '../storages/queries.ts'
import { text } from './messages.ts'
import type { Replica } from './queries.ts'

/** Has a bucket replicated to a bucket of an S3 engine, or changes how. */
export function ReplicaDialog({
  replica,
  taken,
  onClose,
}: {
  /** The one to change; null: a new one. */
  replica: Replica | null
  /** Buckets that have one. */
  taken: readonly string[]
  onClose: () => void
}) {
  const { data: buckets = [] } = useQuery(bucketsQuery)
  const storages = useQuery(storagesQuery)
  const free = buckets.filter(({ name, mode }) => mode === 'owned' && !taken.includes(name)).map(({ name }) => name)
  const targets = (storages.data ?? []).filter(({ kind, enabled }) => kind === 's3' && enabled).map(({ name }) => name)
  const hasNoTarget = replica === null && storages.isSuccess && targets.length === 0
  const rules = replica?.rules ?? []
  const [rule] = rules
  const form = useForm({
    bucket: replica?.bucket ?? '',
    storage: replica?.storage ?? '',
    prefix: replica?.prefix ?? '',
    only: rule?.prefix ?? '',
    deletes: rule?.deletes ?? false,
    existing: replica?.existing ?? true,
  })
  const { bucket, storage, prefix, only, deletes, existing } = form.values
  const isReady = bucket !== '' && storage !== ''
  const save = async () => {
    const done = await form.submit(
      () =>
        client.setReplication({
          params: { bucket },
          body: {
            storage,
            existing,
            ...(prefix === '' ? {} : { prefix }),
            ...(replica === null ? {} : { encrypted: replica.encrypted }),
            rules: [{ deletes, ...(only === '' ? {} : { prefix: only }) }],
          },
        }),
      { conflict: 'storage', read_only: 'bucket' },
    )
    if (!done) return
    notify.ok(text.replicaSaved(bucket))
    await queries.invalidateQueries({ queryKey: ['replications'] })
    onClose()
  }
  return (
    <Modal opened onClose={onClose} title={text.replicaTitle}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void save()
        }}
      >
        <p className="dim">{text.replicaHint}</p>
        {hasNoTarget ? (
          <p>
            {text.noTarget}{' '}
            <Anchor component={Link} to="/admin/storages/_new">
              {text.register}
            </Anchor>
          </p>
        ) : (
          <>
            {rules.length > 1 ? <p className="warn">{text.rules(rules.length)}</p> : null}
            <Select
              label={text.bucket}
              data={replica === null ? free : [replica.bucket]}
              value={bucket}
              onChange={(value) => form.set('bucket', value ?? '')}
              error={form.faults.bucket}
              disabled={replica !== null}
              searchable
              data-autofocus
            />
            <Select
              label={text.target}
              data={targets}
              value={storage}
              onChange={(value) => form.set('storage', value ?? '')}
              error={form.faults.storage}
            />
            <TextInput {...form.field('prefix')} label={text.targetPrefix} description={text.targetPrefixHint} />
            <TextInput
              {...form.field('only')}
              error={form.faults['rules.0.prefix']}
              label={text.onlyPrefix}
              description={text.onlyPrefixHint}
            />
            <Switch
              label={text.deletes}
              checked={deletes}
              onChange={(event) => form.set('deletes', event.currentTarget.checked)}
            />
            <Switch
              label={text.existing}
              checked={existing}
              onChange={(event) => form.set('existing', event.currentTarget.checked)}
            />
          </>
        )}
        <div className="dialog-actions">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={form.sending} disabled={!isReady}>
            {replica === null ? text.replicaDo : common.save}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

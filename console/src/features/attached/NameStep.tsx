import { Alert, Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { STORAGE_NAME } from '../../../../contract/names.ts'
import { client } from '../../api/session.ts'
import { notify } from '../../ui/notify.tsx'
import { nameFault } from '../buckets/name.ts'
import { faultOf, placeOf } from '../storages/draft.ts'
import { formText } from '../storages/messages.ts'
import { refusalOf } from '../storages/refusal.ts'
import { text } from './messages.ts'
import type { Plan } from './plan.ts'

const isStorageName = (name: string) => new RegExp(STORAGE_NAME).test(name)
const below = ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[]

/** What it is called here. Registers the storage if it is a new one, and creates the bucket. */
export function NameStep({
  plan,
  onBack,
  onAttached,
}: {
  plan: Plan
  onBack: () => void
  onAttached: (bucket: string) => void
}) {
  const cache = useQueryClient()
  const { isNew, place, known, names, registered } = plan
  const [attaching, setAttaching] = useState(false)
  const [refusal, setRefusal] = useState<{ title: string; detail: string }>()
  // The storage that this page registered, while the bucket is not created yet.
  const [kept, setKept] = useState<string>()
  const { name } = names.values
  const storageName = place.values.name
  const fault = nameFault(name)
  const isComplete = name !== '' && fault === undefined && (!isNew || isStorageName(storageName))

  /** Returns the storage's name, or undefined if it was refused. */
  const register = async (): Promise<string | undefined> => {
    if (!isNew) return registered?.name
    let detail: string | undefined
    const done = await place.submit(async () => {
      detail = await refusalOf(client.createStorage({ body: { name: storageName, ...placeOf(place.values) } }))
    })
    if (detail !== undefined) setRefusal({ title: text.storageRefused, detail })
    if (!done || detail !== undefined) return undefined
    await plan.register(storageName)
    setKept(storageName)
    return storageName
  }
  const create = async (storage: string): Promise<boolean> => {
    const prefix = isNew ? '' : known.values.prefix.trim()
    let detail: string | undefined
    const done = await names.submit(async () => {
      detail = await refusalOf(
        client.createBucket({ body: { name, mode: 'read_only', storage, ...(prefix === '' ? {} : { prefix }) } }),
      )
    })
    if (detail !== undefined) setRefusal({ title: text.bucketRefused, detail })
    return done && detail === undefined
  }
  const attach = async () => {
    setAttaching(true)
    setRefusal(undefined)
    const storage = await register()
    const isDone = storage !== undefined && (await create(storage))
    setAttaching(false)
    if (!isDone) return
    notify.ok(text.attached(name))
    for (const key of ['buckets', 'storages']) void cache.invalidateQueries({ queryKey: [key] })
    onAttached(name)
  }
  const field = (label: string, hint: string, props: object): ReactNode => (
    <TextInput
      {...props}
      label={label}
      description={hint}
      inputWrapperOrder={below}
      autoComplete="off"
      spellCheck={false}
      maxLength={80}
    />
  )
  return (
    <form
      className="card stack step-card"
      tabIndex={-1}
      aria-labelledby="attach-name"
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete && !attaching) void attach()
      }}
    >
      <h2 id="attach-name">{text.nameTitle}</h2>
      <dl className="facts">
        <dt>{text.shows}</dt>
        <dd>
          <bdi dir="ltr" className="mono">
            {plan.location}
          </bdi>
        </dd>
        {isNew ? null : (
          <>
            <dt>{text.onStorage}</dt>
            <dd data-data>{registered?.name}</dd>
          </>
        )}
      </dl>
      {field(text.bucketName, text.bucketHint, { ...names.field('name'), error: fault ?? names.faults.name })}
      {isNew
        ? field(text.storageName, text.storageHint, {
            ...place.field('name'),
            error: storageName === '' || isStorageName(storageName) ? faultOf(place, 'name') : formText.nameBad,
          })
        : null}
      {refusal ? (
        <Alert role="alert" className="alert-bad" title={refusal.title}>
          {refusal.detail}
        </Alert>
      ) : null}
      {kept === undefined || attaching ? null : <Alert role="status">{text.storageKept(kept)}</Alert>}
      <div className="dialog-actions">
        <Button variant="default" onClick={onBack} disabled={attaching}>
          {text.back}
        </Button>
        <Button type="submit" loading={attaching} disabled={!isComplete}>
          {text.attach}
        </Button>
      </div>
    </form>
  )
}

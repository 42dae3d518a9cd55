import type { Storage, StorageKind } from '../../../../contract/storages.ts'
import type { useForm } from '../../ui/useForm.ts'
import { formText } from './messages.ts'

export const styles = ['auto', 'path', 'host'] as const

/** A storage in a form. Of the secret: undefined keeps it, null removes it. */
export type Draft = {
  name: string
  kind: StorageKind
  endpoint: string
  region: string
  bucket: string
  prefix: string
  path_style: (typeof styles)[number]
  folder: string
  access_key_id: string
  secret_access_key: string | null | undefined
}
export type StorageForm = ReturnType<typeof useForm<Draft>>

const styleOf = (pathStyle: boolean | null) => (pathStyle === null ? 'auto' : pathStyle ? 'path' : 'host')
export const draftOf = (storage?: Storage): Draft => ({
  name: storage?.name ?? '',
  kind: storage?.kind ?? 's3',
  endpoint: storage?.endpoint ?? '',
  region: storage?.region ?? '',
  bucket: storage?.bucket ?? '',
  prefix: storage?.prefix ?? '',
  path_style: styleOf(storage?.path_style ?? null),
  folder: storage?.folder ?? '',
  access_key_id: storage?.access_key_id ?? '',
  secret_access_key: storage ? undefined : '',
})

const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
const connectionOf = ({ endpoint, region, path_style, access_key_id }: Draft) => ({
  endpoint: orNull(endpoint),
  region: orNull(region),
  path_style: path_style === 'auto' ? null : path_style === 'path',
  access_key_id: orNull(access_key_id),
})

/** Where a new storage is, and how to get in. */
export const placeOf = (draft: Draft) =>
  draft.kind === 'file'
    ? { kind: draft.kind, folder: orNull(draft.folder) }
    : {
        kind: draft.kind,
        ...connectionOf(draft),
        bucket: orNull(draft.bucket),
        prefix: draft.prefix.trim(),
        secret_access_key: draft.secret_access_key || null,
      }

/** Whether there is enough in the form to ask the server. */
export const isPlace = ({ kind, bucket, folder }: Draft): boolean => (kind === 'file' ? folder : bucket).trim() !== ''

type Change = Partial<ReturnType<typeof connectionOf>> & { secret_access_key?: string | null }
/** What a form changes of a storage. */
export function changeOf(draft: Draft, before: Draft): Change {
  const old = connectionOf(before)
  const change = Object.fromEntries(
    Object.entries(connectionOf(draft)).filter(([field, value]) => value !== old[field as keyof typeof old]),
  ) as Change
  const { secret_access_key } = draft
  return secret_access_key === undefined ? change : { ...change, secret_access_key }
}

/** A field's error. Its hint explains more than a pattern would. */
export const faultOf = ({ faults }: StorageForm, name: keyof Draft): string | undefined =>
  faults[name]?.startsWith('must match') ? formText.badForm : faults[name]

import { Autocomplete, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { bucketsQuery } from '../../api/buckets.ts'

/** The bucket and the key that a question about permissions is about. */
export function PlaceFields({
  labels,
  bucket,
  objectKey,
  onChange,
}: {
  labels: { bucket: string; key: string; keyHint?: string }
  bucket: string
  objectKey: string
  onChange: (place: { bucket: string } | { key: string }) => unknown
}) {
  const buckets = useQuery(bucketsQuery)
  return (
    <>
      <Autocomplete
        label={labels.bucket}
        data={buckets.data?.map(({ name }) => name) ?? []}
        limit={20}
        value={bucket}
        onChange={(name) => onChange({ bucket: name })}
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        label={labels.key}
        placeholder={labels.keyHint}
        value={objectKey}
        onChange={(event) => onChange({ key: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
    </>
  )
}

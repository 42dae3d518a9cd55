import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import type { StoredObject } from '../../../../contract/objects.ts'
import { client } from '../../api/session.ts'
import { text as common } from '../../ui/messages.ts'
import { notify } from '../../ui/notify.tsx'
import { refreshObjects } from './background.tsx'
import { text } from './messages.ts'
import { objectText } from './object-messages.ts'

export interface Entry {
  id: number
  name: string
  value: string
}
let entryIds = 0
export const entriesOf = (pairs: Readonly<Record<string, string>> = {}): Entry[] =>
  Object.entries(pairs).map(([name, value]) => ({ id: entryIds++, name, value }))
export const pairsOf = (entries: readonly Entry[]): Record<string, string> =>
  Object.fromEntries(entries.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]))
const isSame = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The headers of a download that are often set by hand; others that it has are kept. */
const EDITED = [
  { name: 'cache-control', label: 'Cache-Control', example: 'public, max-age=3600' },
  { name: 'content-disposition', label: 'Content-Disposition', example: 'attachment' },
] as const

/** Edits an object's type, headers, metadata and tags. */
export function Edit({
  object: { bucket, key, etag, content_type, headers = {}, metadata, tags = {} },
  tagsOnly,
  onClose,
}: {
  object: StoredObject
  /** Of a read-only bucket's objects, only the tags are kept here. */
  tagsOnly: boolean
  onClose: () => void
}) {
  const [type, setType] = useState(content_type)
  const [nextHeaders, setHeaders] = useState(headers)
  const [metadataEntries, setMetadata] = useState(() => entriesOf(metadata))
  const [tagEntries, setTags] = useState(() => entriesOf(tags))
  const [sending, setSending] = useState(false)
  const save = async () => {
    const nextTags = pairsOf(tagEntries)
    const described = tagsOnly ? {} : { content_type: type, metadata: pairsOf(metadataEntries) }
    const body = {
      ...described,
      ...(tagsOnly || isSame(nextHeaders, headers) ? {} : { headers: nextHeaders }),
      ...(isSame(nextTags, tags) ? {} : { tags: nextTags }),
    }
    if (Object.keys(body).length === 0) return onClose()
    setSending(true)
    try {
      await client.updateObjectByQuery({
        params: { bucket },
        query: { key },
        headers: { 'if-match': `"${etag}"` },
        body,
      })
      await refreshObjects()
      notify.ok(objectText.saved)
      onClose()
    } catch (error) {
      notify.problem(error)
      setSending(false)
    }
  }
  return (
    <form
      className="stack-tight details-facts"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      {tagsOnly ? null : (
        <>
          <TextInput label={text.type} value={type} onChange={(event) => setType(event.currentTarget.value)} />
          {EDITED.map(({ name, label, example }) => (
            <TextInput
              key={name}
              label={label}
              placeholder={example}
              value={nextHeaders[name] ?? ''}
              onChange={({ currentTarget: { value } }) => {
                const { [name]: _before, ...others } = nextHeaders
                setHeaders(value === '' ? others : { ...others, [name]: value })
              }}
            />
          ))}
          <Entries
            label={objectText.metadata}
            add={objectText.addEntry}
            entries={metadataEntries}
            onChange={setMetadata}
            shape={(name) => name.toLowerCase()}
          />
        </>
      )}
      <Entries label={objectText.tags} add={objectText.addTag} entries={tagEntries} onChange={setTags} />
      {tagsOnly ? <p className="dim small">{objectText.tagsHint}</p> : null}
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={sending}>
          {objectText.save}
        </Button>
      </div>
    </form>
  )
}

/** Names with their values, to add to, change and remove. */
export function Entries({
  label,
  add,
  entries,
  onChange,
  shape = (name) => name,
}: {
  label: string
  add: string
  entries: readonly Entry[]
  onChange: (entries: Entry[]) => void
  /** What becomes of a name while it is typed. */
  shape?: (name: string) => string
}) {
  const set = (id: number, change: Partial<Entry>) =>
    onChange(entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry)))
  return (
    <fieldset className="details-entries">
      <legend>{label}</legend>
      {entries.map(({ id, name, value }) => (
        <div key={id} className="details-entry">
          <TextInput
            aria-label={objectText.entryName}
            placeholder={objectText.entryName}
            value={name}
            onChange={(event) => set(id, { name: shape(event.currentTarget.value) })}
          />
          <TextInput
            aria-label={objectText.entryValue}
            placeholder={objectText.entryValue}
            value={value}
            onChange={(event) => set(id, { value: event.currentTarget.value })}
          />
          <ActionIcon
            aria-label={objectText.removeEntry(name)}
            onClick={() => onChange(entries.filter((entry) => entry.id !== id))}
          >
            <IconTrash size={15} />
          </ActionIcon>
        </div>
      ))}
      <Button
        variant="subtle"
        leftSection={<IconPlus size={14} />}
        onClick={() => onChange([...entries, { id: entryIds++, name: '', value: '' }])}
      >
        {add}
      </Button>
    </fieldset>
  )
}

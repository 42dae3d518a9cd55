import { Checkbox, Input, TextInput } from '@mantine/core'
import { type FileKind, fileKinds, kindsOf, typesOf as typesOfKind } from '../../../../contract/kinds.ts'
import { text } from './messages.ts'

/** The types of files that an upload link takes: kinds, and what is typed while others are asked for. */
export interface Types {
  kinds: readonly FileKind[]
  hasOthers: boolean
  others: string
}
export const anyTypes: Types = { kinds: [], hasOthers: false, others: '' }

/** What a link has, as in the API. */
export function typesFrom(types: readonly string[] | null): Types {
  const { kinds, others } = kindsOf(types ?? [])
  return { kinds, hasOthers: others.length > 0, others: others.join(', ') }
}

const TYPE = /^[\w.+-]+\/([\w.+-]+|\*)$/
/** As in the API; undefined if something typed is no type. None is all. */
export function typesOf({ kinds, hasOthers, others }: Types): string[] | undefined {
  const typed = hasOthers ? others.split(/[\s,;]+/).filter(Boolean) : []
  if (!typed.every((type) => TYPE.test(type))) return undefined
  return [...new Set([...kinds.flatMap(typesOfKind), ...typed])]
}

/** Which kinds of files are taken, and own types. */
export function TypesField({
  value,
  error,
  onChange,
}: {
  value: Types
  error: string | undefined
  onChange: (next: Types) => void
}) {
  return (
    <div>
      <Checkbox.Group
        label={text.contentTypes}
        description={text.contentTypesHint}
        value={[...value.kinds]}
        onChange={(next) => onChange({ ...value, kinds: next as FileKind[] })}
      >
        <div className="shares-kinds">
          {fileKinds.map((kind) => (
            <Checkbox key={kind} value={kind} label={text.fileKinds(kind)} />
          ))}
        </div>
      </Checkbox.Group>
      <Checkbox
        label={text.otherTypes}
        checked={value.hasOthers}
        onChange={(event) => onChange({ ...value, hasOthers: event.currentTarget.checked })}
      />
      {value.hasOthers ? (
        <TextInput
          aria-label={text.ownTypes}
          mt={6}
          description={text.ownTypesHint}
          value={value.others}
          error={error}
          onChange={(event) => onChange({ ...value, others: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
      ) : null}
      {error && !value.hasOthers ? <Input.Error mt={6}>{error}</Input.Error> : null}
    </div>
  )
}

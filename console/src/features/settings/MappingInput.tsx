import { ActionIcon, Button, Input, Select, TextInput } from '@mantine/core'
import { useId } from '@mantine/hooks'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Settings } from '../../../../contract/settings.ts'
import { groupsQuery, withMembers } from '../groups/queries.ts'
import { text } from './messages.ts'

type Mapping = Settings['idp']['group_mapping']

/** Maps the provider's groups to groups here. */
export function MappingInput({
  label,
  description,
  value,
  fault,
  fixed,
  onChange,
}: {
  label: string
  description: string
  value: Mapping
  fault: string | undefined
  fixed: boolean
  onChange: (value: Mapping) => void
}) {
  const id = useId()
  const groups = withMembers(useQuery(groupsQuery).data)
  const set = (at: number, change: Partial<Mapping[number]>) =>
    onChange(value.map((row, i) => (i === at ? { ...row, ...change } : row)))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would look like a section
    <div role="group" aria-labelledby={id} className="settings-field stack-tight">
      <div>
        <div className="settings-label" id={id}>
          {label}
        </div>
        <Input.Description>{description}</Input.Description>
      </div>
      {value.length === 0 ? <p className="dim">{text.mappingNone}</p> : null}
      {value.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else to be known by
        <div key={i} className="settings-mapping">
          <TextInput
            aria-label={`${text.mappingValue} ${i + 1}`}
            placeholder={text.mappingValue}
            value={row.value}
            onChange={(event) => set(i, { value: event.currentTarget.value })}
            readOnly={fixed}
            maxLength={500}
            autoComplete="off"
          />
          <Select
            aria-label={`${text.mappingGroup} ${i + 1}`}
            placeholder={text.mappingGroup}
            data={groups.map(({ id, name }) => ({ value: id, label: name }))}
            value={row.group_id === '' ? null : row.group_id}
            onChange={(group_id) => set(i, { group_id: group_id ?? '' })}
            readOnly={fixed}
            searchable
          />
          {fixed ? null : (
            <ActionIcon
              aria-label={text.mappingRemove(row.value)}
              onClick={() => onChange(value.filter((_, other) => other !== i))}
            >
              <IconX size={16} />
            </ActionIcon>
          )}
        </div>
      ))}
      {fault ? <Input.Error>{fault}</Input.Error> : null}
      {fixed ? null : (
        <div>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...value, { value: '', group_id: '' }])}
          >
            {text.mappingAdd}
          </Button>
        </div>
      )}
    </div>
  )
}

import { MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../api/queries.ts'
import { groupsQuery, withMembers } from './queries.ts'

interface Props {
  label: string
  description?: string
  value: string[]
  onChange: (ids: string[]) => void
  error?: string | undefined
  /** Groups to leave out. */
  without?: readonly string[]
  autoFocus?: boolean
}

/** Selects groups by name. Groups with permissions that the user lacks are disabled. */
export function GroupPicker({ label, description, value, onChange, error, without = [], autoFocus = false }: Props) {
  const me = useMe()
  const groups = withMembers(useQuery(groupsQuery).data)
  return (
    <MultiSelect
      size="sm"
      label={label}
      {...(description ? { description } : {})}
      {...(error ? { error } : {})}
      {...(autoFocus ? { 'data-autofocus': true } : {})}
      data={groups
        .filter(({ id }) => !without.includes(id))
        .map((group) => ({ value: group.id, label: group.name, disabled: !me.covers([group]) }))}
      value={value}
      onChange={onChange}
      searchable
      clearable={false}
      hidePickedOptions
      comboboxProps={{ withinPortal: true }}
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { useMe } from '../../api/queries.ts'
import { confirm } from '../../ui/confirm.tsx'
import { ManyPicker } from '../../ui/ManyPicker.tsx'
import { text } from './messages.ts'
import { givesAdmin, groupsQuery, withMembers } from './queries.ts'

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

/** Selects groups by name, and asks about those that give full access. Those with permissions that the user lacks are disabled. */
export function GroupPicker({ label, description, value, onChange, error, without = [], autoFocus = false }: Props) {
  const me = useMe()
  const groups = withMembers(useQuery(groupsQuery).data)
  const choose = async (ids: string[]) => {
    const powerful = groups.find((group) => ids.includes(group.id) && !value.includes(group.id) && givesAdmin(group))
    const goesOn =
      powerful === undefined ||
      (await confirm({
        title: text.fullAccessTitle(powerful.name),
        children: text.fullAccessText,
        action: text.fullAccessGive,
      }))
    if (goesOn) onChange(ids)
  }
  return (
    <ManyPicker
      size="sm"
      label={label}
      {...(description ? { description } : {})}
      {...(error ? { error } : {})}
      {...(autoFocus ? { 'data-autofocus': true } : {})}
      data={groups
        .filter(({ id }) => !without.includes(id))
        .map((group) => ({ value: group.id, label: group.name, disabled: !me.covers([group]) }))}
      value={value}
      onChange={(ids) => void choose(ids)}
      clearable={false}
      comboboxProps={{ withinPortal: true }}
    />
  )
}

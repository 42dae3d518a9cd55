import { MultiSelect, type MultiSelectProps } from '@mantine/core'
import { useState } from 'react'

/** Selects several values. The list closes with each choice, so that it never covers what comes after the field. */
export function ManyPicker(props: MultiSelectProps) {
  const [open, setOpen] = useState(false)
  return (
    <MultiSelect
      searchable
      hidePickedOptions
      {...props}
      dropdownOpened={open}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onOptionSubmit={() => setOpen(false)}
    />
  )
}

import { TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import type { ReactNode } from 'react'

/** A list's text filter, with other filters and the count beside it. */
export const Filters = ({ children, count }: { children: ReactNode; count?: string }) => (
  <div className="filters">
    {children}
    {count === undefined ? null : (
      <span className="dim" role="status">
        {count}
      </span>
    )}
  </div>
)

export const FilterField = ({
  label,
  value,
  onChange,
  width,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  width?: number
}) => (
  <TextInput
    aria-label={label}
    placeholder={label}
    leftSection={<IconSearch size={15} />}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    {...(width === undefined ? {} : { w: width })}
  />
)

import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'

interface Props {
  steps: readonly { prefix: string; label: ReactNode }[]
  go: (prefix: string) => void
}

/** The folded steps of a path. */
const StepItems = ({ steps, go }: Props) =>
  steps.map(({ prefix, label }) => (
    <Menu.Item key={prefix} onClick={() => go(prefix)}>
      {label}
    </Menu.Item>
  ))
export default StepItems

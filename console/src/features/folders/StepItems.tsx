import { Menu } from '@mantine/core'
import { label, type Step } from './Trail.tsx'

/** The folded steps of a path. */
const StepItems = ({ steps, go }: { steps: readonly Step[]; go: (prefix: string) => void }) =>
  steps.map((step) => (
    <Menu.Item key={step.prefix} onClick={() => go(step.prefix)}>
      {label(step.name)}
    </Menu.Item>
  ))
export default StepItems

import { ActionIcon, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun, IconSunMoon } from '@tabler/icons-react'
import { text } from './messages.ts'

const choices = [
  { value: 'light', name: 'light', icon: IconSun },
  { value: 'dark', name: 'dark', icon: IconMoon },
  { value: 'auto', name: 'system', icon: IconSunMoon },
] as const

/** Cycles through light, dark and the system's colour scheme. */
export function Scheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const at = choices.findIndex(({ value }) => value === colorScheme)
  const { name, icon: Icon } = choices[at] ?? choices[2]
  const next = choices[(at + 1) % choices.length] ?? choices[0]
  const words = `${text.theme}: ${text[name]}`
  return (
    <ActionIcon aria-label={words} title={words} onClick={() => setColorScheme(next.value)}>
      <Icon size={17} stroke={1.6} />
    </ActionIcon>
  )
}

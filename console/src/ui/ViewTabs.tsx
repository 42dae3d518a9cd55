import '@mantine/core/styles/Tabs.css'
import './ViewTabs.css'
import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'
import { useView } from '../navigation/useView.ts'

export interface ViewTab {
  name: string
  label: ReactNode
  /** Only the open tab has content. */
  content: () => ReactNode
}

/** A view's tabs. The open one is in the address (`?tab=`, omitted for the first). */
export function ViewTabs({ label, tabs, vertical = false }: { label: string; tabs: ViewTab[]; vertical?: boolean }) {
  const { search, go, pathname } = useView()
  const [first] = tabs
  const open = tabs.find(({ name }) => name === search.tab) ?? first
  if (!open) return null
  return (
    <Tabs
      className={vertical ? 'view-tabs view-tabs-vertical' : 'view-tabs'}
      value={open.name}
      orientation={vertical ? 'vertical' : 'horizontal'}
      onChange={(name) => void go(pathname, name === null || name === first?.name ? {} : { tab: name })}
    >
      <Tabs.List aria-label={label}>
        {tabs.map(({ name, label }) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map(({ name, content }) => (
        <Tabs.Panel key={name} value={name}>
          {name === open.name ? content() : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

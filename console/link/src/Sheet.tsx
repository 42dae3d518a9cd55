import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { shownName, siteLogo, siteName } from '../../src/branding.ts'
import { Icon, Mark } from './icons.tsx'
import { text } from './language.ts'

/** The frame of the pages. */
export const Sheet = ({ wide = false, children }: { wide?: boolean; children: ComponentChildren }) => (
  <div class="page content">
    <header class="bar">
      {siteLogo === undefined ? (
        <Mark size={22} />
      ) : (
        <img class="house-logo" src={siteLogo} alt={shownName === '' ? siteName : ''} height={28} />
      )}
      <span class="grow house">{shownName}</span>
      <Scheme />
    </header>
    <main class={wide ? 'sheet wide' : 'sheet'}>{children}</main>
    <footer class="dim small">{text.caution}</footer>
  </div>
)

const KEY = 'strongroom-color-scheme'
const schemes = ['light', 'dark', 'auto'] as const
const icons = { light: 'sun', dark: 'moon', auto: 'half' } as const
const system = matchMedia('(prefers-color-scheme: dark)')
let chosen: (typeof schemes)[number] = 'auto'
try {
  chosen = schemes.find((one) => one === localStorage.getItem(KEY)) ?? 'auto'
} catch {
  // No storage: the system's scheme.
}
const apply = (): void => {
  const isDark = chosen === 'dark' || (chosen === 'auto' && system.matches)
  document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light'
}
system.addEventListener('change', apply)

/** Cycles through light, dark and the system's colour scheme; the console's switch remembers the same choice. */
function Scheme() {
  const [scheme, setScheme] = useState(chosen)
  const words = text.theme(scheme === 'auto' ? text.system : text[scheme])
  const change = () => {
    chosen = schemes[(schemes.indexOf(scheme) + 1) % schemes.length] ?? 'auto'
    try {
      localStorage.setItem(KEY, chosen)
    } catch {
      // It applies until the page is closed.
    }
    apply()
    setScheme(chosen)
  }
  return (
    <button type="button" class="icon" aria-label={words} title={words} onClick={change}>
      <Icon name={icons[scheme]} />
    </button>
  )
}

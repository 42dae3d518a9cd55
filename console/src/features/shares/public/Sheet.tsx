import type { ReactNode } from 'react'
import { Mark } from '../../../ui/Mark.tsx'
import { Scheme } from '../../../ui/Scheme.tsx'

/** The frame of the public pages. */
export function Sheet({ wide = false, children }: { wide?: boolean; children: ReactNode }) {
  return (
    <div className="link-page">
      <header className="link-bar">
        <Mark size={22} />
        <span className="grow">Strongroom</span>
        <Scheme />
      </header>
      <main className={wide ? 'link-sheet link-wide' : 'link-sheet'}>{children}</main>
    </div>
  )
}

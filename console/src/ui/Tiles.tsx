import './Tiles.css'
import type { ReactNode } from 'react'

/** A row of key figures. */
export const Tiles = ({ children }: { children: ReactNode }) => <dl className="figures">{children}</dl>
export const Tile = ({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) => (
  <div className="figure">
    <dt>{label}</dt>
    <dd>
      <span className="figure-value">{children}</span>
      {note ? <span className="dim small">{note}</span> : null}
    </dd>
  </div>
)

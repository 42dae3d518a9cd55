import type { ReactNode } from 'react'
import { Brand } from '../../ui/Mark.tsx'
import { Scheme } from '../../ui/Scheme.tsx'

/** The centred card of pages for users who are not signed in. */
export const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="login">
    <div className="login-scheme">
      <Scheme />
    </div>
    <div className="login-card">
      <div className="login-mark">
        <Brand size={34} />
      </div>
      <h1>{title}</h1>
      {children}
    </div>
  </main>
)

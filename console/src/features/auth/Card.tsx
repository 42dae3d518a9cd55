import type { ReactNode } from 'react'
import { type LanguageTag, languages } from '../../../../contract/languages.ts'
import { chooseHere, languageNames, wantedLanguage } from '../../language.ts'
import { Brand } from '../../ui/Mark.tsx'
import { Scheme } from '../../ui/Scheme.tsx'
import { text } from './messages.ts'

/** The centred card of pages for users who are not signed in. */
export const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="login">
    <div className="login-scheme">
      <select
        className="login-language"
        aria-label={text.language}
        value={wantedLanguage()}
        onChange={(event) => chooseHere(event.currentTarget.value as LanguageTag)}
      >
        {languages.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {languageNames[tag]}
          </option>
        ))}
      </select>
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

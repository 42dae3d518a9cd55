import '../../src/tokens.css'
import './link.css'
import { render } from 'preact'
import { LinkPage } from './LinkPage.tsx'
import { readLanguage } from './language.ts'

// Not awaited at the top level: a language's file uses what is in this one, which would wait for it.
void readLanguage().then(() => render(<LinkPage />, document.getElementById('root') as HTMLElement))

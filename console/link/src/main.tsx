import '../../src/tokens.css'
import './link.css'
import { render } from 'preact'
import { LinkPage } from './LinkPage.tsx'
import { readLanguage } from './language.ts'

await readLanguage()
render(<LinkPage />, document.getElementById('root') as HTMLElement)

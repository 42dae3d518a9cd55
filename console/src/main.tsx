import '@fontsource-variable/inter/wght.css'
import './mantine.css'
import './tokens.css'
import './app.css'
import { DirectionProvider, localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { COLOR_SCHEME } from './api/early.ts'
import { queries } from './api/queries.ts'
import { loadLanguage } from './languages/load.ts'
import { applyPreferences } from './preferences.ts'
import { Console } from './router.tsx'
import { createOurTheme, resolver } from './theme.ts'
import { Toasts } from './ui/notify.tsx'
import { ignoreStrayClicks } from './ui/strayClicks.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
// Mantine's scroll lock for dialogs injects a style and reads the nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

applyPreferences()
ignoreStrayClicks()
// For dialogs and forms, which nobody has before something is shown.
void import('./ui/keep.ts').then(({ keep }) => keep())

/** All of it, once the language is known. */
const page = () => (
  <StrictMode>
    <DirectionProvider>
      <MantineProvider
        theme={createOurTheme()}
        cssVariablesResolver={resolver}
        defaultColorScheme="auto"
        colorSchemeManager={localStorageColorSchemeManager({ key: COLOR_SCHEME })}
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <Toasts />
          <Console />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  </StrictMode>
)
void loadLanguage().then(() => createRoot(document.getElementById('root') as HTMLElement).render(page()))

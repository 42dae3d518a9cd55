/** How the site presents itself: the server writes it into the page's head. */
const content = (name: string): string | undefined =>
  globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content

const set = content('application-name')
export const siteName = set ?? 'Strongroom'
/** The logo's path. */
export const siteLogo = content('site-logo')
/** The name next to the logo; none where only a logo was chosen. */
export const shownName = set ?? (siteLogo === undefined ? siteName : '')

/** The window's title. */
export const titled = (title: string): string => (title === '' ? siteName : `${title} – ${siteName}`)

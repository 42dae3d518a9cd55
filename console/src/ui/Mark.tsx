import { shownName, siteLogo, siteName } from '../branding.ts'

/** The logo, a vault door's wheel, same as public/mark.svg. Inline it saves a request before the first paint. */
const Mark = ({ size }: { size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} fill="currentColor" className="logo" aria-hidden="true">
    <path
      fillRule="evenodd"
      d="M8 2h16a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6Zm8 5a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z"
    />
    <path stroke="currentColor" strokeWidth="2.6" d="M16 16L16 6.8M16 16L8.03 20.6M16 16L23.97 20.6" />
    <circle cx="16" cy="16" r="3.6" />
  </svg>
)

/** The site's logo and name. */
export const Brand = ({ size }: { size: number }) => (
  <>
    {siteLogo === undefined ? (
      <Mark size={size} />
    ) : (
      <img className="brand-logo" src={siteLogo} alt={shownName === '' ? siteName : ''} height={size} />
    )}
    {shownName === '' ? null : <span>{shownName}</span>}
  </>
)

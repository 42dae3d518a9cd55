/** The logo, same as public/mark.svg. Inline it saves a request before the first paint. */
export const Mark = ({ size }: { size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} fill="#0b6e6e" aria-hidden="true">
    <rect x="9" y="3" width="14" height="12" rx="2" />
    <rect x="1" y="17" width="14" height="12" rx="2" />
    <rect x="17" y="17" width="14" height="12" rx="2" />
  </svg>
)

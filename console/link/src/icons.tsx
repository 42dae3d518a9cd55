import type { ComponentChildren } from 'preact'
import type { Family } from './kinds.ts'

/** Line drawings on a grid of 24. */
const drawn = {
  download: 'M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14',
  close: 'M6 6l12 12M18 6L6 18',
  previous: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
  zoomIn: 'M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm5 11.5l4.5 4.5M11 8v6m-3-3h6',
  zoomOut: 'M11 4.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm5 11.5l4.5 4.5M8 11h6',
  external: 'M14 5h5v5m0-5l-8 8M17 14v4a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1h4',
  lock: 'M6.5 11h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1Zm2 0V8a3.5 3.5 0 0 1 7 0v3',
  gone: 'M9.5 14.5l5-5m-3-3l1-1a4.2 4.2 0 0 1 6 6l-1.4 1.4M12.5 17.5l-1 1a4.2 4.2 0 0 1-6-6l1.4-1.4M4 4l16 16',
  warning: 'M12 4l9 15.5H3L12 4Zm0 6v4m0 2.5v.5',
  tiles: 'M5 5h5.5v5.5H5V5Zm8.5 0H19v5.5h-5.5V5ZM5 13.5h5.5V19H5v-5.5Zm8.5 0H19V19h-5.5v-5.5Z',
  rows: 'M4.5 7h15M4.5 12h15M4.5 17h15',
  upload: 'M12 15.5V5m-4.5 4.5L12 5l4.5 4.5M5 19.5h14',
  sun: 'M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8Zm0-4.5v1.5m0 14v1.5M3.5 12H5m14 0h1.5M6 6l1 1m10 10l1 1M18 6l-1 1M7 17l-1 1',
  moon: 'M19.5 14.2A8 8 0 1 1 9.8 4.5a6.4 6.4 0 0 0 9.7 9.7Z',
  half: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16Zm0 0v16m3-15v14m3-12v10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
} as const

const SHEET = 'M7 3.5h6.5L18 8v11.5a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-15a1 1 0 0 1 1-1ZM13.5 3.5V8H18'
const families: { readonly [family in Family | 'folder']: string } = {
  folder:
    'M4 6.5a1.5 1.5 0 0 1 1.5-1.5h4l2 2.5h7A1.5 1.5 0 0 1 20 9v8.5a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5v-11Z',
  picture:
    'M5.5 5h13A1.5 1.5 0 0 1 20 6.5v11a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 17.5v-11A1.5 1.5 0 0 1 5.5 5ZM4.5 17l5-5 3.5 3.5 2.5-2.5 4 4M15.5 9h.1',
  video:
    'M4.5 7A1.5 1.5 0 0 1 6 5.5h8A1.5 1.5 0 0 1 15.5 7v10a1.5 1.5 0 0 1-1.5 1.5H6A1.5 1.5 0 0 1 4.5 17V7Zm11 3.5l4.5-3v9l-4.5-3',
  audio: 'M9 17.5V6l9-1.5V16M9 17.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Zm9-1.5a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0Z',
  pdf: `${SHEET}M9 13h6M9 16.5h3.5`,
  text: `${SHEET}M9 11.5h6M9 14.5h6M9 17.5h4`,
  archive: `${SHEET}M10.5 5v1.5m0 2V10m0 2v1.5m-1 2h2V18h-2v-2.5Z`,
  document: `${SHEET}M9 12h6v5H9v-5Z`,
  other: SHEET,
}

interface IconProps {
  name: keyof typeof drawn | keyof typeof families
  size?: number
  class?: string
}
export const Icon = ({ name, size = 20, class: classes }: IconProps) => (
  <Drawing size={size} class={classes}>
    <path d={name in drawn ? drawn[name as keyof typeof drawn] : families[name as keyof typeof families]} />
  </Drawing>
)

const Drawing = ({
  size,
  class: classes,
  children,
}: {
  size: number
  class: string | undefined
  children: ComponentChildren
}) => (
  <svg
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    stroke-width="1.6"
    stroke-linecap="round"
    stroke-linejoin="round"
    class={classes}
    aria-hidden="true"
  >
    {children}
  </svg>
)

/** The product's logo, a vault door's wheel, as in the console. */
export const Mark = ({ size }: { size: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} fill="currentColor" class="mark" aria-hidden="true">
    <path
      fill-rule="evenodd"
      d="M8 2h16a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H8a6 6 0 0 1-6-6V8a6 6 0 0 1 6-6Zm8 5a9 9 0 1 0 0 18 9 9 0 0 0 0-18Z"
    />
    <path stroke="currentColor" stroke-width="2.6" d="M16 16L16 6.8M16 16L8.03 20.6M16 16L23.97 20.6" />
    <circle cx="16" cy="16" r="3.6" />
  </svg>
)

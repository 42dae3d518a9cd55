const UNITS = ['KB', 'MB', 'GB', 'TB', 'PB'] as const

/** `10 bytes`, `311 KB`: a number of bytes in units of 1024, as the console shows it. */
export function formatSize(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  let value = bytes / 1024
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${Number(value.toFixed(value >= 100 ? 0 : 1))} ${UNITS[unit]}`
}

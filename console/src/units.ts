const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'] as const

/** A size in the unit that suits it, of 1024 each, and whether it is shown with a decimal: `1.4 MB`, `502 KB`, `17 B`. */
export function inUnits(bytes: number): { value: number; unit: (typeof UNITS)[number]; decimals: boolean } {
  let value = bytes
  let step = 0
  while (value >= 999.5 && step < UNITS.length - 1) {
    value /= 1024
    step++
  }
  return { value, unit: UNITS[step] ?? 'B', decimals: step > 0 && value < 100 }
}

const UNITS = ['', 'K', 'M', 'G', 'T', 'P'] as const

/**
 * A size in the unit that suits it, of 1024 each, and whether it is shown with a decimal: `1.4 MB`, `502 KB`, `17 B`; in
 * French `1,4 Mo`, for octet.
 */
export function inUnits(bytes: number, language: string): { value: number; unit: string; decimals: boolean } {
  let value = bytes
  let step = 0
  while (value >= 999.5 && step < UNITS.length - 1) {
    value /= 1024
    step++
  }
  const unit = `${UNITS[step] ?? ''}${language === 'fr' ? 'o' : 'B'}`
  return { value, unit, decimals: step > 0 && value < 100 }
}

const UNITS = ['K', 'M', 'G', 'T', 'P'] as const

/** `10 bytes`, `311 KB`: a number of bytes in units of 1024, as the console shows it; in French `311 Ko`, for octet. */
export function formatSize(bytes: number, language = 'en'): string {
  if (bytes < 1000)
    return new Intl.NumberFormat(language, { style: 'unit', unit: 'byte', unitDisplay: 'long' }).format(bytes)
  let value = bytes / 1024
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  const digits = new Intl.NumberFormat(language, { maximumFractionDigits: value >= 100 ? 0 : 1 })
  return `${digits.format(value)} ${UNITS[unit]}${language === 'fr' ? 'o' : 'B'}`
}

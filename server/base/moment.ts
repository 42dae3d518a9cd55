// Moments of changes: microseconds since 1970, written as RFC 3339 has times.

/** A moment as text, with microseconds. */
export function formatMoment(moment: number): string {
  const micros = String(moment % 1000).padStart(3, '0')
  return `${new Date(Math.floor(moment / 1000)).toISOString().slice(0, -1)}${micros}Z`
}

const TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,12}))?([Zz]|[+-]\d\d:\d\d)$/

/** The last moment that an RFC 3339 time of any precision stands for; undefined for any other text. */
export function parseMoment(text: string): number | undefined {
  const [, date, time, fraction = '', zone] = TIME.exec(text) ?? []
  if (date === undefined || zone === undefined) return undefined
  const seconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  if (Number.isNaN(seconds) || new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) !== date) return undefined
  return seconds * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
}

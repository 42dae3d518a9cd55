import type * as english from '../../i18n.ts'
import type { Translation } from '../../i18n.ts'

export const durations: Translation<typeof english.durations> = {
  seconds: (s) => `${s} s`,
  minutes: (min, s) => `${min} min ${s} s`,
  hours: (h, min) => `${h} h ${min} min`,
}

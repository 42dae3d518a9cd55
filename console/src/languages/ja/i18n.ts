import type * as english from '../../i18n.ts'
import type { Translation } from '../../i18n.ts'

export const durations: Translation<typeof english.durations> = {
  seconds: (s) => `${s} 秒`,
  minutes: (min, s) => `${min} 分 ${s} 秒`,
  hours: (h, min) => `${h} 時間 ${min} 分`,
}

import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: '无法连接到服务器',
  unreachableHint: '请检查网络连接，然后重试。',
  broken: '出错了',
}

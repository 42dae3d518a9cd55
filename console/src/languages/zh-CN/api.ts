import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: '无法连接到服务器',
  unreachableHint: '请检查网络连接，然后重试。',
  needs: (right, place) => (place === undefined ? `您需要“${right}”权限。` : `您需要对 ${place} 的“${right}”权限`),
  broken: '出错了',
  sentence: (words) => `${words}。`,
  later: '请稍后再试。',
}

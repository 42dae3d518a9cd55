import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: 'サーバーに接続できません',
  unreachableHint: 'ネットワーク接続を確認して、もう一度お試しください。',
  needs: (right, place) =>
    place === undefined ? `「${right}」の権限が必要です。` : `${place} に対する「${right}」の権限が必要です`,
  broken: '問題が発生しました',
  sentence: (words) => `${words}。`,
  later: 'しばらくしてからもう一度お試しください。',
}

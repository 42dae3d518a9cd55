import type * as english from '../../features/folders/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  crumbsHidden: 'ほかのフォルダー',
  emptyName: 'パス内の各フォルダーには名前が必要です。余分なスラッシュを削除してください。',
  folderName: 'フォルダー名',
  noFolders: 'ここにフォルダーはありません',
  moreFolders: (n) => `先頭の ${formatCount(n)} 個のフォルダーを表示しています。`,
  firstRows: (n) => `先頭の ${formatCount(n)} 個の項目を表示しています。`,
  target: '対象のフォルダー',
  noName: '(名前なし)',
  newFolder: '新しいフォルダー',
  create: '作成',
  emptyFolder: 'このフォルダーは空です',
}

import type * as english from '../../features/folders/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  crumbsHidden: '更多文件夹',
  emptyName: '路径中的每个文件夹都需要名称：请删除多余的斜杠。',
  folderName: '文件夹名称',
  noFolders: '此处没有文件夹',
  moreFolders: (n) => `显示前 ${formatCount(n)} 个文件夹。`,
  firstRows: (n) => `显示前 ${formatCount(n)} 个项目。`,
  target: '目标文件夹',
  noName: '（无名称）',
  newFolder: '新建文件夹',
  create: '创建',
  emptyFolder: '此文件夹为空',
}

import type * as english from '../../features/search/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: '搜索',
  field: '搜索所有存储桶',
  allFor: (query) => `在所有存储桶中搜索“${query}”`,
  inAll: '在所有存储桶中搜索',
  exportList: '导出列表',
  exportStreams: '找到的所有内容会在到达时陆续写入文件。',
  exportHolds: '导出找到的所有内容。文件完成之前，此浏览器会将其保存在内存中。',
  csv: 'CSV（用于电子表格）',
  ndjson: 'NDJSON（含准确路径）',
  exported: (name) => `已保存 ${name}`,
  found: (n, isExact) => (isExact ? `找到 ${formatCount(n)} 个对象` : `至少找到 ${formatCount(n)} 个对象`),
  results: '搜索结果',
  place: '位置',
  searching: '正在搜索…',
  // What is not understood
  notUnderstood: (part) => `无法理解“${part}”。`,
  searchInstead: (query) => `改用 ${query}`,
  suggestions: '建议',
  fieldOf: (field) =>
    ({
      name: '文件名',
      key: '完整路径',
      prefix: '文件夹',
      ext: '扩展名',
      type: '内容类型',
      kind: '文件种类',
      size: '大小',
      modified: '上次更改',
      created: '首次上传',
      tag: '标签',
      meta: '元数据',
      by: '上传者',
      encrypted: '加密',
      storage: '存储类别',
      bucket: '存储桶',
    })[field],
  // Attached buckets
  unread: '以下存储桶未能完全搜索：',
  unreadIn: (n, isExact) =>
    `${isExact ? '' : '至少 '}${formatCount(n)} 个对象尚未读取：无法按标签、元数据和类型找到它们。`,
  moreBuckets: (n) => `以及另外 ${formatCount(n)} 个存储桶`,
  // Before anything is searched for
  startTitle: '在所有存储桶中查找对象',
  startHint: '搜索名称的一部分，或组合以下条件：',
  exampleTag: '标签“project”的值为“apollo”',
  examplePictures: '最近 7 天内更改的图片',
  exampleLarge: (size) => `大于 ${size} 的 PDF 文件`,
  nothingHint: '只会找到您可以列出的对象。请检查条件，或去掉其中一个。',
  clear: '清除搜索',
  keyField: '搜索',
  keyOpen: '打开',
  keyMove: '移动光标',
}

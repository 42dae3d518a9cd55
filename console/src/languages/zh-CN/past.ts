import type * as english from '../../features/past/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: (place) => `${place} 过去有什么？`,
  ago: (span) => ({ hour: '一小时前', day: '昨天', week: '上周', month: '一个月前' })[span],
  usual: '常用时刻',
  moment: '日期和时间',
  momentHint: '显示当时的列表，不会更改任何内容。',
  notYet: '该时间在未来。',
  show: '显示',
  snapshots: '快照',
  change: '其他时刻…',
  changes: '更改和快照',
  nothingKept: '此存储桶既不保留回收站也不保留版本，只能显示快照保留的内容。',
  band: '过去',
  asOf: (time) => `截至 ${time}`,
  snapshot: (name) => `快照 ${name}`,
  readOnly: '只读：这是过去的内容。',
  since: '此后的更改',
  now: '回到现在',
  wasEmpty: '当时这里什么都没有',
  wasEmptyHint: '该文件夹当时不存在，或者是空的。',
  unknown: '无法显示该时刻',
  erasedHint: '其内容此后已被永久删除。',
  noPreview: '过去的此类文件无法预览，请下载后打开。',
  noFormer: '回收站中没有此文件的早期内容。',
  replaced: '已替换',
}

import type * as english from '../../features/buckets/attached-messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const takeOverText: Translation<typeof english.takeOverText> = {
  title: '接管',
  cardHint: '其对象无需复制即成为此存储桶自己的对象，之后可以在这里重命名、覆盖和删除。其他人不得再向原位置写入。',
  open: '接管…',
  adminsOnly: '只有管理员可以接管。',
}

export const releaseText: Translation<typeof english.releaseText> = {
  title: '交还',
  hint: '将每个对象以自己的键写入 S3 存储后端。之后存储桶变为只读，并显示那里的对象。',
  open: '交还存储桶…',
  adminsOnly: '只有管理员可以交还。',
  heading: (bucket) => `交还 ${bucket}`,
  storage: '对象写入到',
  prefix: '前缀',
  prefixHint: (place) => `该前缀下必须还没有任何内容。不填前缀时为 ${place}。`,
  noStorage: '没有已开启的 S3 存储后端。请先添加一个。',
  check: '检查',
  refused: '无法交还此存储桶',
  willWrite: (n, size) =>
    `${formatCount(n)} 个对象（${size}）：每个对象连同类型、标头、元数据和标签写入那里，然后重新读取并比对。`,
  willLock: '在此期间，存储桶可以读取但无法更改。如果取消任务，存储桶会保持已接管状态。',
  willEnd: '完成后，存储桶变为只读，并显示那里的对象。再次交还会清除其信息。',
  willStay: '原位置的内容不会被删除。不再需要时，请自行在那里删除。',
  start: '开始交还',
  started: '正在交还存储桶',
}

import type * as english from '../../features/home/messages.ts'
import { formatCount, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: '首页',
  // First steps
  firstSteps: '完成设置',
  progress: (done, all) => `已完成 ${formatCount(done)} / ${formatCount(all)}`,
  hide: '隐藏',
  password: '更换自动生成的密码',
  passwordHint: '该密码由服务输出，可能留在日志中。',
  bucket: '创建存储桶',
  bucketHint: '或挂载已在 S3 引擎上的存储桶。',
  people: '添加用户',
  peopleHint: '创建账号，并通过用户组规定谁可以做什么。',
  sso: '设置单点登录',
  ssoHint: '用户使用已有的账号登录。',
  client: '连接 S3 客户端',
  clientHint: '为 rclone、AWS CLI 或备份工具创建访问密钥。',
  webhook: '将事件发送到 Webhook',
  webhookHint: '将这里的更改通知您自己的服务。',
  done: '已完成',
  open: '待完成',
  // Key figures
  buckets: '存储桶',
  objects: '对象',
  stored: '已存储',
  inTrash: '回收站中',
  withoutFolders: '不含您只有文件夹权限的存储桶',
  // Attention
  attention: '需要注意',
  nothing: '没有需要注意的事项。',
  diskShort: '磁盘几乎已满。在有空间之前，上传会被拒绝。',
  diskNearlyFull: (free) => `磁盘空间不多了：还剩 ${free}。`,
  storageDown: (name) => `无法连接到存储后端 ${name}。`,
  full: (bucket) => `${bucket} 已满。新的上传会被拒绝。`,
  nearlyFull: (bucket, share) => `${bucket} 已使用 ${share}。`,
  webhookOff: (name) => `Webhook ${name} 因失败次数过多已被停用。`,
  webhookFailing: (name) => `Webhook ${name} 持续失败。首次失败：`,
  webhookFails: (name, n) => `过去 24 小时内，向 Webhook ${name} 的 ${formatCount(n)} 次投递失败。`,
  tokenExpires: (name) => `访问令牌 ${name} 即将过期：`,
  keyExpires: (name) => `访问密钥 ${name} 即将过期：`,
  scanHeld: (bucket) => `${bucket} 的一次扫描等待确认。`,
  findings: (bucket, n) => `有其他人在引擎上更改了 ${bucket} 的 ${formatCount(n)} 个对象。`,
  // Work in progress, buckets
  running: '正在运行的任务',
  largest: '最大的存储桶',
  allBuckets: '所有存储桶',
}

import type { Texts } from './en.ts'

const what = { tokens: '访问令牌', access_keys: '访问密钥' } as const
const who = (by: string | null): string => (by === null ? '管理员' : `${by} `)

/** What mails say, in Simplified Chinese. */
export const texts: Texts = {
  expiringSubject: ({ kind, name, left }) => `您的${what[kind]}“${name}”将在${left}过期`,
  expiring: ({ kind, name, mark, left, at }) =>
    `您的${what[kind]}“${name}” (${mark}) 将在${left}过期，过期时间为 ${at}。`,
  expiringHint: (kind) => `过期后，使用它的程序将被拒绝。如果仍需要这些程序，请创建新的${what[kind]}并在程序中更换：`,
  expiringReason: (kind) => `您收到此邮件，是因为该${what[kind]}属于您。`,

  openedSubject: (name) => `您的链接“${name}”已被打开`,
  opened: ({ took, name, bucket, at }) =>
    `您为存储桶“${bucket}”中的“${name}”创建的${took ? '上传链接' : '链接'}于 ${at} 首次被打开。`,
  openedHint: '查看此后的访问记录，以及您的所有链接：',
  openedReason: '此邮件只发送一次，因为您在共享时要求了通知。',

  invitationSubject: (by) => `${who(by)}为您创建了账号`,
  invitation: (by, until) => `${who(by)}为您创建了账号。设置密码后即可使用。以下链接只能使用一次，有效期至 ${until}：`,
  invitationReason: '如果您没有预料到此邮件，请忽略它：在设置密码之前，任何人都无法使用该账号。',

  resetSubject: '设置新密码',
  reset: (until) =>
    `有人为您的帐户申请了新密码。如果是您本人，请现在设置。该链接在 ${until} 之前有效，且只能使用一次。其他所有位置将被注销：`,
  resetReason: '如果不是您本人，请忽略此邮件：您的密码不会改变。',

  fillingSubject: (bucket, percent) => `存储桶“${bucket}”已用 ${percent}`,
  filling: ({ bucket, percent, held, quota }) =>
    `存储桶“${bucket}”的用量已达到配额的 ${percent}：已用 ${held}，共 ${quota}，包括正在上传的内容。`,
  fillingHint: '存储桶用满后，上传将被拒绝。查看其配额和内容：',
  fillingReason: '您收到此邮件，是因为您是管理员。',

  approvalSubject: (agent) => `智能体“${agent}”请求您的批准`,
  approval: ({ agent, objects, size }) =>
    objects === 0
      ? `智能体“${agent}”请求您的批准。在您决定之前不会执行任何操作。`
      : `智能体“${agent}”请求更改 ${objects} 个对象（${size}）。在您决定之前不会执行任何操作。`,
  approvalHint: '查看将会发生什么并作出决定：',
  approvalReason: '您收到此邮件，是因为该智能体属于您。',

  testSubject: (site) => `来自 ${site} 的测试邮件`,
  test: (site) => `邮件功能正常：此邮件由 ${site} 的设置页面发送给您。`,
  testReason: '您收到此邮件，是因为您请求发送它。',

  signature: (site, reason) => `${site}\n${reason}`,
}

import type { SignInChange, SignInChanger, Texts } from './en.ts'

const what = { tokens: '访问令牌', access_keys: '访问密钥' } as const
const who = (by: string | null): string => (by === null ? '管理员' : `${by} `)

const changed: { readonly [C in SignInChange]: (name: string) => string } = {
  password_set: () => '您的账号已设置密码',
  password_changed: () => '您的密码已更改',
  password_removed: () => '您的密码已移除',
  app_added: (name) => `身份验证器应用“${name}”已添加到您的账号`,
  app_removed: (name) => `身份验证器应用“${name}”已从您的账号移除`,
  passkey_added: (name) => `通行密钥“${name}”已添加到您的账号`,
  passkey_removed: (name) => `通行密钥“${name}”已从您的账号移除`,
  factors_removed: () => '您的账号已关闭两步验证',
  codes_replaced: () => '您的恢复代码已更换',
  identity_linked: () => '您的账号已关联到身份提供商',
  identity_unlinked: () => '您的账号不再关联到身份提供商',
  address_added: () => '此地址现在是您账号的邮箱',
  address_removed: () => '此地址不再是您账号的邮箱',
}
const changedBy: { readonly [B in SignInChanger]: string } = {
  self: '由您本人或以您的身份登录的人更改',
  reset_link: '通过发送到此地址的“忘记密码？”链接更改',
  invitation: '通过邀请链接更改',
  administrator: '由管理员更改',
  identity_provider: '通过身份提供商登录时更改',
}

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

  signInSubject: '您的登录方式已更改',
  signInChanged: ({ change, name }) => changed[change](name),
  signInStop: '。',
  signInBy: ({ by, at }) => `时间：${at}，${changedBy[by]}。`,
  signInReset:
    '如果不是您本人所为，其他人可能会进入您的账号。请立即使用登录页面上的“忘记密码？”设置新密码，这会使所有人退出登录。然后检查您的账号，并告知管理员：',
  signInAsk: '如果不是您本人所为，且您对此不知情，请立即告知管理员。您的账号：',
  signInReason: '您收到此邮件，是因为它与您的登录方式有关。',

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

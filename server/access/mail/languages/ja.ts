import type { SignInChange, SignInChanger, Texts } from './en.ts'

const what = { tokens: 'アクセストークン', access_keys: 'アクセスキー' } as const
const who = (by: string | null): string => (by === null ? '管理者' : `${by} `)

const changed: { readonly [C in SignInChange]: (name: string) => string } = {
  password_set: () => 'アカウントにパスワードが設定されました',
  password_changed: () => 'パスワードが変更されました',
  password_removed: () => 'パスワードが削除されました',
  app_added: (name) => `認証アプリ「${name}」がアカウントに追加されました`,
  app_removed: (name) => `認証アプリ「${name}」がアカウントから削除されました`,
  passkey_added: (name) => `パスキー「${name}」がアカウントに追加されました`,
  passkey_removed: (name) => `パスキー「${name}」がアカウントから削除されました`,
  factors_removed: () => 'アカウントの 2 段階認証がオフになりました',
  codes_replaced: () => 'リカバリーコードが新しくなりました',
  identity_linked: () => 'アカウントが ID プロバイダーに関連付けられました',
  identity_unlinked: () => 'アカウントと ID プロバイダーの関連付けが解除されました',
  address_added: () => 'このメールアドレスがアカウントのメールアドレスになりました',
  address_removed: () => 'このメールアドレスはアカウントのメールアドレスではなくなりました',
}
const changedBy: { readonly [B in SignInChanger]: string } = {
  self: 'あなた、またはあなたとしてログインしている人が変更しました',
  reset_link: 'このアドレスに送られた「パスワードを忘れた場合」のリンクで変更されました',
  invitation: '招待のリンクで変更されました',
  administrator: '管理者が変更しました',
  identity_provider: 'ID プロバイダーでのログインによって変更されました',
}

/** What mails say, in Japanese. */
export const texts: Texts = {
  expiringSubject: ({ kind, name, left }) => `${what[kind]}「${name}」の有効期限が ${left}に切れます`,
  expiring: ({ kind, name, mark, left, at }) =>
    `${what[kind]}「${name}」(${mark}) の有効期限が ${left}の ${at} に切れます。`,
  expiringHint: (kind) =>
    `期限が切れると、これを使うプログラムは拒否されます。引き続き必要な場合は、次のページで新しい${what[kind]}を作成し、置き換えてください。`,
  expiringReason: (kind) => `このメールは、${what[kind]}の所有者に送信しています。`,

  openedSubject: (name) => `「${name}」へのリンクが開かれました`,
  opened: ({ took, name, bucket, at }) =>
    `バケット「${bucket}」にある「${name}」への${took ? 'アップロード用リンク' : 'リンク'}が、${at} に初めて開かれました。`,
  openedHint: 'その後のアクセスなど、リンクの詳細は次のページで確認できます。',
  openedReason: 'このメールは、共有時に通知を希望されたため、一度だけ送信しています。',

  invitationSubject: (by) => `${who(by)}があなたのアカウントを作成しました`,
  invitation: (by, until) =>
    `${who(by)}があなたのアカウントを作成しました。次のリンクからパスワードを設定すると、利用を始められます。リンクは ${until} まで、一度だけ使えます。`,
  invitationReason:
    '心当たりがない場合は、このメールを無視してください。パスワードが設定されない限り、誰もこのアカウントを使用できません。',

  resetSubject: '新しいパスワードの設定',
  reset: (until) =>
    `あなたのアカウントに新しいパスワードが求められました。ご本人の場合は、今すぐ設定してください。リンクは${until}まで一度だけ使えます。ほかの場所ではすべてログアウトされます：`,
  resetReason: 'お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',

  signInSubject: 'ログイン方法が変更されました',
  signInChanged: ({ change, name }) => changed[change](name),
  signInStop: '。',
  signInBy: ({ by, at }) => `${at} に、${changedBy[by]}。`,
  signInReset:
    'お心当たりがない場合は、ほかの人があなたのアカウントに入れる可能性があります。すぐにログインページの「パスワードを忘れた場合」から新しいパスワードを設定してください。すべての場所でログアウトされます。そのうえでアカウントを確認し、管理者に知らせてください。',
  signInAsk: 'お心当たりがない場合は、すぐに管理者に知らせてください。アカウントは次のページで確認できます。',
  signInReason: 'このメールは、ログイン方法に関わるため送信しています。',

  fillingSubject: (bucket, percent) => `バケット「${bucket}」の使用量がクォータの ${percent} に達しました`,
  filling: ({ bucket, percent, held, quota }) =>
    `バケット「${bucket}」の使用量がクォータの ${percent} に達しました。アップロード中のものを含めて、${quota} のうち ${held} を使用しています。`,
  fillingHint: 'いっぱいになると、アップロードは拒否されます。クォータと内容は次のページで確認できます。',
  fillingReason: 'このメールは、管理者に送信しています。',

  approvalSubject: (agent) => `エージェント「${agent}」が承認を求めています`,
  approval: ({ agent, objects, size }) =>
    objects === 0
      ? `エージェント「${agent}」が承認を求めています。決定するまで何も実行されません。`
      : `エージェント「${agent}」が ${objects} 個のオブジェクト (${size}) の変更を求めています。決定するまで何も実行されません。`,
  approvalHint: '実行される内容の確認と決定:',
  approvalReason: 'このメールは、エージェントの作成者に送信しています。',

  testSubject: (site) => `${site} からのテストメール`,
  test: (site) => `メールは正常に送信できます。このメールは ${site} の設定画面から送信されました。`,
  testReason: 'このメールは、あなたの操作によって送信されました。',

  signature: (site, reason) => `${site}\n${reason}`,
}

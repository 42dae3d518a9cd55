import type * as english from '../../features/auth/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'ログイン',
  email: 'メールアドレス',
  password: 'パスワード',
  signIn: 'ログイン',
  continueWith: (name) => `${name}${/[ -~]$/.test(name) ? ' ' : ''}で続ける`,
  provider: 'シングルサインオン',
  or: 'または',
  bothOff: 'すべてのログイン方法が無効になっています',
  bothOffHint:
    'パスワードでのログインを再び有効にするには、サーバーで `strongroom enable-local-login` を実行してください。',
  sessionEnded: 'セッションの有効期限が切れました。続けるにはログインしてください。',
  failed: 'ログインできませんでした',
  failedHint: 'ID プロバイダーがログインをキャンセルしました。',
  notProvisionedHint: 'ユーザーとして追加するよう、管理者に依頼してください。',
  signedIn: 'ログインしました',
  signedInHint: '元のタブに戻ってください。このタブは閉じてかまいません。',
  openConsole: 'コンソールを開く',
  again: 'ログインに戻る',
  finishing: 'ログインしています…',
  language: '言語',
  firstStart:
    '初めての起動ですか？サインインの方法はサーバーの出力に表示されています。自分で設定したパスワードは表示されません。',
  setupTitle: 'Strongroom のセットアップ',
  setupHint: '最初の管理者アカウントを作成します。このリンクは 1 回だけ使えます。',
  setUpAlready: 'セットアップは完了しています',
  setUpAlreadyHint: '管理者アカウントはすでに存在します。',
  noAdmin: '管理者がまだいません',
  findLink:
    'サーバーは起動時にセットアップ用のリンクを出力しています。出力またはログを確認し、最新のリンクを使用してください:',
  database: 'データベース',
  storage: 'ストレージ',
  answers: '接続済み',
  silent: '接続できません',
  asking: '確認しています…',
  adminEmail: '管理者のメールアドレス',
  name: '名前 (任意)',
  passwordRule: (bytes) =>
    bytes > 72
      ? `長すぎます: ${bytes} バイト (最大 72 バイト)`
      : bytes > 0 && bytes < 8
        ? '短すぎます。8 文字以上にしてください。'
        : '8 文字以上にしてください。',
  createAdmin: 'アカウントを作成してログイン',
  newPassword: '新しいパスワード',
  newPasswordAgain: '新しいパスワード (確認)',
  differ: 'パスワードが一致しません。',
  replaceTitle: '新しいパスワードの設定',
  replaceHint: '現在のパスワードは管理者が設定したものです。続けるには変更してください。',
  replace: '保存してログイン',
  invitationTitle: 'Strongroom へようこそ',
  invitationHint: (name) => `${name} さん、アカウントのパスワードを設定してください。`,
  acceptInvitation: '保存してログイン',
  invitationOver: 'この招待は無効になりました',
  invitationOverHint:
    '有効期限が切れたか、使用済みか、新しい招待に置き換えられています。すでにパスワードを設定した場合は、そのパスワードでログインしてください。まだの場合は、新しい招待を依頼してください。',
  toSignIn: 'ログイン画面へ',
  passkeySignIn: 'パスキーでログイン',
  forgot: 'パスワードを忘れた場合',
  forgotTitle: 'パスワードを忘れた場合',
  forgotHint: 'メールアドレスを入力してください。新しいパスワードを設定するリンクが届きます。',
  sendLink: 'リンクを送信',
  linkSentTitle: 'メールを確認してください',
  linkSent: (email) =>
    `${email} がパスワードのあるアカウントのものであれば、新しいパスワードを設定するリンクが届きます。有効期限は1時間です。`,
  linkSentHint:
    '届かない場合は、迷惑メールフォルダーを確認するか、管理者に連絡してください。シングルサインオンを使用している場合、ここにパスワードはありません。',
  noMail:
    'このサービスはメールを送信できません。管理者に連絡してください。「ユーザー」で新しいパスワードを設定できます。',
  noMailAdmin: '管理者は、サーバーで自分のメールアドレスを指定して `strongroom reset-password` を実行します。',
  noPasswords:
    'ここではパスワードでログインできません。アクセスできなくなった場合は、シングルサインオンの担当者に連絡してください。',
  resetTitle: '新しいパスワードの設定',
  resetHint: 'ほかの場所ではすべてログアウトされます。2段階認証は変わりません。',
  resetOver: 'このリンクは無効です',
  resetOverHint: '有効期限が切れたか、すでに使用されたか、その後パスワードが変更されました。',
  askAgain: '新しいリンクを要求',
}

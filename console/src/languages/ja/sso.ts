import type * as english from '../../features/settings/sso/messages.ts'
import type { Provider } from '../../features/settings/sso/presets.ts'
import type { Translation } from '../../i18n.ts'

export const providerText: Translation<typeof english.providerText> = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  other: 'その他の OpenID Connect プロバイダー',
}

export const partText: Translation<typeof english.partText> = {
  tenant: 'ディレクトリ (テナント) ID',
  domain: 'Okta ドメイン',
  base: 'サーバーのアドレス',
  realm: 'レルム',
  slug: 'アプリケーションのスラッグ',
  issuer: '発行者 URL',
}

export const partHints: Translation<typeof english.partHints> = {
  tenant: 'アプリの登録の概要ページにあります。',
  domain: '例: acme.okta.com',
  base: '例: https://sso.example.com',
  realm: 'ユーザーが属するレルムです。',
  slug: 'authentik でのアプリケーションのアドレスに含まれるものです。',
  issuer: 'その配下の /.well-known/openid-configuration に構成情報があります。',
}

const guides: Readonly<Record<Provider, readonly string[]>> = {
  entra: [
    'Microsoft Entra 管理センターで「App registrations」(アプリの登録) を開き、「New registration」(新規登録) を選択します。',
    '「Supported account types」: この組織のディレクトリ内のアカウントのみを選択します。',
    '「Redirect URI」:「Web」を選択し、上のアドレスを貼り付けます。',
    '「Certificates & secrets」でクライアントシークレットを作成し、その値をコピーします。',
    '「Overview」から、アプリケーション (クライアント) ID とディレクトリ (テナント) ID をコピーします。',
  ],
  okta: [
    'Admin Console で「Applications」を開き、「Create App Integration」を選択します。',
    '「Sign-in method」は「OIDC」、「Application type」は「Web Application」にします。',
    '「Sign-in redirect URIs」: 上のアドレスを貼り付けます。',
    'ログインを許可するユーザーまたはグループを割り当てます。',
    'クライアント ID とクライアントシークレットをコピーします。',
  ],
  google: [
    'Google Cloud コンソールで「Google Auth Platform」を開き、「Audience」を「Internal」にして、組織内のユーザーだけがログインできるようにします。',
    '「Clients」で、種類が「Web application」のクライアントを作成します。',
    '「Authorized redirect URIs」: 上のアドレスを貼り付けます。',
    'クライアント ID とクライアントシークレットをコピーします。',
  ],
  keycloak: [
    '管理コンソールでレルムを選択して「Clients」を開き、「Create client」を選択します。種類は OpenID Connect です。',
    '「Client authentication」をオンにします。フローは「Standard flow」だけで十分です。',
    '「Valid redirect URIs」: 上のアドレスを貼り付けます。',
    'クライアント ID と、「Credentials」タブのクライアントシークレットをコピーします。',
  ],
  authentik: [
    '管理画面で「Applications」を開き、「Create with provider」を選択します。種類は OAuth2/OpenID です。',
    '「Client type」は「Confidential」、「Redirect URI」は「Strict」にして、上のアドレスを入力します。',
    'クライアント ID、クライアントシークレット、アプリケーションのスラッグをコピーします。',
  ],
  other: [
    '認可コードフロー用のクライアント (またはアプリケーション) を、クライアントシークレット付きで作成します。',
    'リダイレクト URI: 上のアドレスを貼り付けます。',
    'スコープ openid、profile、email を許可します。',
    'クライアント ID、クライアントシークレット、発行者 URL をコピーします。',
  ],
}

export const text: Translation<typeof english.text> = {
  title: 'シングルサインオンの設定',
  hint: 'ユーザーは、すでに持っているアカウントでログインします。',
  step: (step) =>
    ({ provider: 'プロバイダー', register: '登録', connect: '接続', users: 'ユーザー', test: 'テスト' })[step],
  guide: (provider, i) => guides[provider][i] ?? '',
  back: '戻る',
  next: '次へ',
  providerTitle: 'ユーザーのアカウントはどこにありますか？',
  registerTitle: (provider) => `${provider} に登録`,
  registerOther: 'プロバイダーに登録',
  redirect: 'リダイレクト URI',
  redirectHint: 'ログイン後、プロバイダーがユーザーを移動させる先です。',
  elsewhere: (origin) =>
    `コンソールは ${origin} で開かれています。ユーザーも同じアドレスを使う場合は、先に PUBLIC_BASE_URL をこのアドレスに設定してください。リダイレクト URI はその値から作られます。`,
  insecure:
    '多くのプロバイダーは https のアドレスだけを受け付けます。このアドレスは PUBLIC_BASE_URL から作られています。',
  connectTitle: 'プロバイダーから取得した情報',
  issuer: '発行者 URL',
  connect: '保存して接続',
  connected: (issuer) => `${issuer} に接続しました`,
  saved: '保存しましたが、接続できていません',
  usersTitle: '誰がログインできますか？',
  usersHint: 'プロバイダーに連携済みのユーザーは、常にログインできます。',
  noVerified: (provider) =>
    `${provider} は、メールアドレスが確認済みかどうかを通知しません。既存のユーザーは、ユーザーページで、またはインポート時に連携します。`,
  linkRisk:
    'プロバイダーがメールアドレスを確認し、そこでアカウントを作成できるのが自分の組織だけである場合に限り、オンにしてください。',
  groupsTitle: 'グループ (任意)',
  groupsHint:
    'プロバイダーでのグループに応じて、ユーザーをここのグループに追加できます。設定しない場合は、手動で追加します。',
  moreSettings: 'その他の設定',
  testTitle: '一度ログインする',
  testHint: (name) =>
    `プライベートウィンドウでログインページを開き、「${name}${/[ -~]$/.test(name) ? ' ' : ''}で続ける」を選択してください。ここではログインしたままにしてください。`,
  signInPage: 'ログインページ',
  waiting: 'ログインを待っています…',
  signedIn: (email) => `${email} がログインしました`,
  refused: (who, reason) => `${who}: ${reason}`,
  stranger: 'ログインに失敗',
  notProvisioned: 'ログインしてもアカウントは作成されません。「ユーザー」に戻るか、先にアカウントを作成してください。',
  emailInUse: 'このメールアドレスのユーザーは存在しますが、プロバイダーに連携されていません。',
  finish: '完了',
}

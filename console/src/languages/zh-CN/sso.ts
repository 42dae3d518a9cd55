import type * as english from '../../features/settings/sso/messages.ts'
import type { Provider } from '../../features/settings/sso/presets.ts'
import type { Translation } from '../../i18n.ts'

export const providerText: Translation<typeof english.providerText> = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  other: '其他 OpenID Connect 提供商',
}

export const partText: Translation<typeof english.partText> = {
  tenant: '目录（租户）ID',
  domain: 'Okta 域名',
  base: '服务器地址',
  realm: '领域 (realm)',
  slug: '应用程序 slug',
  issuer: '签发者 URL',
}

export const partHints: Translation<typeof english.partHints> = {
  tenant: '位于应用注册的概述页面上。',
  domain: '例如 acme.okta.com。',
  base: '例如 https://sso.example.com。',
  realm: '用户所在的 realm。',
  slug: '与 authentik 中应用程序地址里的一致。',
  issuer: '其配置位于该地址下的 /.well-known/openid-configuration。',
}

const guides: Readonly<Record<Provider, readonly string[]>> = {
  entra: [
    '在 Microsoft Entra 管理中心打开“App registrations”（应用注册），选择“New registration”（新注册）。',
    '“Supported account types”：仅限此组织目录中的账号。',
    '“Redirect URI”：选择“Web”，并粘贴上面的地址。',
    '在“Certificates & secrets”下创建客户端密钥，并复制其值。',
    '从“Overview”复制应用程序（客户端）ID 和目录（租户）ID。',
  ],
  okta: [
    '在 Admin Console 中打开“Applications”，选择“Create App Integration”。',
    '“Sign-in method”：OIDC。“Application type”：Web Application。',
    '“Sign-in redirect URIs”：粘贴上面的地址。',
    '分配可以登录的用户或组。',
    '复制客户端 ID 和客户端密钥。',
  ],
  google: [
    '在 Google Cloud 控制台中打开“Google Auth Platform”，并将“Audience”设为“Internal”，以便只有您组织的成员可以登录。',
    '在“Clients”下创建类型为“Web application”的客户端。',
    '“Authorized redirect URIs”：粘贴上面的地址。',
    '复制客户端 ID 和客户端密钥。',
  ],
  keycloak: [
    '在管理控制台中选择您的 realm，打开“Clients”，选择“Create client”，类型为 OpenID Connect。',
    '开启“Client authentication”。流程只需启用“Standard flow”。',
    '“Valid redirect URIs”：粘贴上面的地址。',
    '复制客户端 ID，以及“Credentials”标签页中的客户端密钥。',
  ],
  authentik: [
    '在管理界面中打开“Applications”，选择“Create with provider”，类型为 OAuth2/OpenID。',
    '“Client type”：Confidential。“Redirect URI”：Strict，并填写上面的地址。',
    '复制客户端 ID、客户端密钥和应用程序的 slug。',
  ],
  other: [
    '创建使用授权码流程的客户端（或应用程序），并设置客户端密钥。',
    '重定向 URI：粘贴上面的地址。',
    '允许 openid、profile 和 email 这些 scope。',
    '复制客户端 ID、客户端密钥和签发者 URL。',
  ],
}

export const text: Translation<typeof english.text> = {
  title: '设置单点登录',
  hint: '用户使用已有的账号登录。',
  step: (step) => ({ provider: '提供商', register: '注册', connect: '连接', users: '用户', test: '测试' })[step],
  guide: (provider, i) => guides[provider][i] ?? '',
  back: '返回',
  next: '下一步',
  providerTitle: '您的用户在哪里有账号？',
  registerTitle: (provider) => `在 ${provider} 注册`,
  registerOther: '在您的提供商处注册',
  redirect: '重定向 URI',
  redirectHint: '用户登录后，提供商会将其转到此地址。',
  elsewhere: (origin) =>
    `您是通过 ${origin} 打开控制台的。如果用户也使用此地址，请先将 PUBLIC_BASE_URL 设为该地址：重定向 URI 由它生成。`,
  insecure: '许多提供商仅接受 https 地址。此地址由 PUBLIC_BASE_URL 生成。',
  connectTitle: '提供商给您的信息',
  issuer: '签发者 URL',
  connect: '保存并连接',
  connected: (issuer) => `已连接到 ${issuer}`,
  saved: '已保存，但未连接',
  usersTitle: '谁可以登录？',
  usersHint: '已关联到提供商的用户始终可以登录。',
  noVerified: (provider) => `${provider} 不会说明邮箱地址是否已验证。现有用户需在其用户页面上关联，或在导入时关联。`,
  linkRisk: '仅当提供商会验证地址，并且只有您的组织可以在那里创建账号时，才开启此项。',
  groupsTitle: '组（可选）',
  groupsHint: '用户可以根据其在提供商处的组加入这里的组。否则，由您自行添加。',
  moreSettings: '更多设置',
  testTitle: '登录一次',
  testHint: (name) => `在无痕窗口中打开登录页面，选择“使用 ${name} 继续”。请在此处保持登录。`,
  signInPage: '登录页面',
  waiting: '正在等待登录…',
  signedIn: (email) => `${email} 已登录`,
  refused: (who, reason) => `${who}：${reason}`,
  stranger: '登录失败',
  notProvisioned: '登录时不会创建账号。请返回“用户”步骤，或先创建账号。',
  emailInUse: '已存在使用此邮箱地址的用户，但未关联到提供商。',
  finish: '完成',
}

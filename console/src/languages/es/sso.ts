import type * as english from '../../features/settings/sso/messages.ts'
import type { Provider } from '../../features/settings/sso/presets.ts'
import type { Translation } from '../../i18n.ts'

export const providerText: Translation<typeof english.providerText> = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  other: 'Otro proveedor de OpenID Connect',
}

export const partText: Translation<typeof english.partText> = {
  tenant: 'ID de directorio (inquilino)',
  domain: 'Dominio de Okta',
  base: 'Dirección del servidor',
  realm: 'Realm',
  slug: 'Slug de la aplicación',
  issuer: 'URL del emisor',
}

export const partHints: Translation<typeof english.partHints> = {
  tenant: 'En la página de información general del registro de la aplicación.',
  domain: 'Por ejemplo, acme.okta.com.',
  base: 'Por ejemplo, https://sso.example.com.',
  realm: 'El realm en el que están sus usuarios.',
  slug: 'Como en la dirección de la aplicación en authentik.',
  issuer: 'Su configuración está debajo, en /.well-known/openid-configuration.',
}

const guides: Readonly<Record<Provider, readonly string[]>> = {
  entra: [
    'En el centro de administración de Microsoft Entra, abra “App registrations” y elija “New registration”.',
    '“Supported account types”: solo las cuentas de este directorio organizativo.',
    '“Redirect URI”: elija “Web” y pegue la dirección de arriba.',
    'En “Certificates & secrets”, cree un secreto de cliente y copie su valor.',
    'De “Overview”, copie el ID de aplicación (cliente) y el ID de directorio (inquilino).',
  ],
  okta: [
    'En la Admin Console, abra “Applications” y elija “Create App Integration”.',
    '“Sign-in method”: OIDC. “Application type”: Web Application.',
    '“Sign-in redirect URIs”: pegue la dirección de arriba.',
    'Asigne los usuarios o grupos que pueden iniciar sesión.',
    'Copie el ID de cliente y el secreto de cliente.',
  ],
  google: [
    'En la consola de Google Cloud, abra “Google Auth Platform” y ponga “Audience” en “Internal”, para que solo su organización pueda iniciar sesión.',
    'En “Clients”, cree un cliente del tipo “Web application”.',
    '“Authorized redirect URIs”: pegue la dirección de arriba.',
    'Copie el ID de cliente y el secreto de cliente.',
  ],
  keycloak: [
    'En la consola de administración, elija su realm, abra “Clients” y elija “Create client”, tipo “OpenID Connect”.',
    'Active “Client authentication”. De los flujos, basta con “Standard flow”.',
    '“Valid redirect URIs”: pegue la dirección de arriba.',
    'Copie el ID de cliente y, de la pestaña “Credentials”, el secreto de cliente.',
  ],
  authentik: [
    'En la interfaz de administración, abra “Applications” y elija “Create with provider”, tipo “OAuth2/OpenID”.',
    '“Client type”: Confidential. “Redirect URI”: Strict, con la dirección de arriba.',
    'Copie el ID de cliente, el secreto de cliente y el slug de la aplicación.',
  ],
  other: [
    'Cree un cliente (o una aplicación) para el flujo de código de autorización, con un secreto de cliente.',
    'URI de redirección: pegue la dirección de arriba.',
    'Permita los ámbitos openid, profile y email.',
    'Copie el ID de cliente, el secreto de cliente y la URL del emisor.',
  ],
}

export const text: Translation<typeof english.text> = {
  title: 'Configurar el inicio de sesión único',
  hint: 'Los usuarios inician sesión con las cuentas que ya tienen.',
  step: (step) =>
    ({ provider: 'Proveedor', register: 'Registro', connect: 'Conexión', users: 'Usuarios', test: 'Prueba' })[step],
  guide: (provider, i) => guides[provider][i] ?? '',
  back: 'Atrás',
  next: 'Siguiente',
  providerTitle: '¿Dónde tienen sus cuentas los usuarios?',
  registerTitle: (provider) => `Registro en ${provider}`,
  registerOther: 'Registro en su proveedor',
  redirect: 'URI de redirección',
  redirectHint: 'Adonde el proveedor envía a los usuarios después de iniciar sesión.',
  elsewhere: (origin) =>
    `Ha abierto la consola en ${origin}. Si los usuarios también lo hacen, ponga antes esa dirección en PUBLIC_BASE_URL: la URI de redirección se forma a partir de ella.`,
  insecure: 'Muchos proveedores solo aceptan direcciones https. Esta se forma a partir de PUBLIC_BASE_URL.',
  connectTitle: 'Datos que le ha dado el proveedor',
  issuer: 'URL del emisor',
  connect: 'Guardar y conectar',
  connected: (issuer) => `Conectado a ${issuer}`,
  saved: 'Guardado, pero sin conexión',
  usersTitle: '¿Quién puede iniciar sesión?',
  usersHint: 'Los usuarios que ya están vinculados al proveedor siempre pueden.',
  noVerified: (provider) =>
    `${provider} no indica si una dirección de correo se ha verificado. Los usuarios existentes se vinculan en su página de usuario o al importarlos.`,
  linkRisk:
    'Actívelo solo si el proveedor verifica las direcciones y si solo su organización puede crear cuentas en él.',
  groupsTitle: 'Grupos (opcional)',
  groupsHint: 'Los usuarios pueden entrar en grupos de aquí según sus grupos en el proveedor. Si no, los añade usted.',
  moreSettings: 'Más ajustes',
  testTitle: 'Inicie sesión una vez',
  testHint: (name) =>
    `Abra la página de inicio de sesión en una ventana privada y elija “Continuar con ${name}”. No cierre la sesión aquí.`,
  signInPage: 'Página de inicio de sesión',
  waiting: 'Esperando un inicio de sesión…',
  signedIn: (email) => `${email} ha iniciado sesión`,
  refused: (who, reason) => `${who}: ${reason}`,
  stranger: 'No se pudo iniciar sesión',
  notProvisioned: 'Al iniciar sesión no se crean cuentas. Vuelva a “Usuarios” o cree antes la cuenta.',
  emailInUse: 'Existe un usuario con esta dirección de correo, pero no está vinculado al proveedor.',
  finish: 'Listo',
}

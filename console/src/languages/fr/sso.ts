import type * as english from '../../features/settings/sso/messages.ts'
import type { Provider } from '../../features/settings/sso/presets.ts'
import type { Translation } from '../../i18n.ts'

export const providerText: Translation<typeof english.providerText> = {
  entra: 'Microsoft Entra ID',
  okta: 'Okta',
  google: 'Google',
  keycloak: 'Keycloak',
  authentik: 'authentik',
  other: 'Autre fournisseur OpenID Connect',
}

export const partText: Translation<typeof english.partText> = {
  tenant: 'ID de l’annuaire (locataire)',
  domain: 'Domaine Okta',
  base: 'Adresse du serveur',
  realm: 'Realm',
  slug: 'Slug de l’application',
  issuer: 'URL de l’émetteur',
}

export const partHints: Translation<typeof english.partHints> = {
  tenant: 'Sur la page de présentation de l’inscription d’application.',
  domain: 'Par exemple acme.okta.com.',
  base: 'Par exemple https://sso.example.com.',
  realm: 'Le realm où se trouvent vos utilisateurs.',
  slug: 'Comme dans l’adresse de l’application dans authentik.',
  issuer: 'Sa configuration se trouve en dessous, à /.well-known/openid-configuration.',
}

const guides: Readonly<Record<Provider, readonly string[]>> = {
  entra: [
    'Dans le centre d’administration Microsoft Entra, ouvrez « App registrations » et choisissez « New registration ».',
    '« Supported account types » : uniquement les comptes de cet annuaire d’organisation.',
    '« Redirect URI » : choisissez « Web » et collez l’adresse ci-dessus.',
    'Sous « Certificates & secrets », créez un secret client et copiez sa valeur.',
    'Sous « Overview », copiez l’ID d’application (client) et l’ID d’annuaire (locataire).',
  ],
  okta: [
    'Dans l’« Admin Console », ouvrez « Applications » et choisissez « Create App Integration ».',
    '« Sign-in method » : OIDC. « Application type » : Web Application.',
    '« Sign-in redirect URIs » : collez l’adresse ci-dessus.',
    'Affectez les utilisateurs ou les groupes qui peuvent se connecter.',
    'Copiez l’ID client et le secret du client.',
  ],
  google: [
    'Dans la console Google Cloud, ouvrez « Google Auth Platform » et réglez l’audience sur « Internal », pour que seule votre organisation puisse se connecter.',
    'Sous « Clients », créez un client de type « Web application ».',
    '« Authorized redirect URIs » : collez l’adresse ci-dessus.',
    'Copiez l’ID client et le secret du client.',
  ],
  keycloak: [
    'Dans la console d’administration, choisissez votre realm, ouvrez « Clients » et choisissez « Create client », de type OpenID Connect.',
    'Activez « Client authentication ». Parmi les flux, « Standard flow » suffit.',
    '« Valid redirect URIs » : collez l’adresse ci-dessus.',
    'Copiez l’ID client, et le secret du client depuis l’onglet « Credentials ».',
  ],
  authentik: [
    'Dans l’interface d’administration, ouvrez « Applications » et choisissez « Create with provider », de type OAuth2/OpenID.',
    '« Client type » : Confidential. « Redirect URI » : Strict, avec l’adresse ci-dessus.',
    'Copiez l’ID client, le secret du client et le slug de l’application.',
  ],
  other: [
    'Créez un client (ou une application) pour le flux « authorization code », avec un secret.',
    'URI de redirection : collez l’adresse ci-dessus.',
    'Autorisez les portées openid, profile et email.',
    'Copiez l’ID client, le secret du client et l’URL de l’émetteur.',
  ],
}

export const text: Translation<typeof english.text> = {
  title: 'Configurer l’authentification unique',
  hint: 'Les utilisateurs se connectent avec les comptes qu’ils ont déjà.',
  step: (step) =>
    ({
      provider: 'Fournisseur',
      register: 'Enregistrement',
      connect: 'Connexion',
      users: 'Utilisateurs',
      test: 'Test',
    })[step],
  guide: (provider, i) => guides[provider][i] ?? '',
  back: 'Retour',
  next: 'Suivant',
  providerTitle: 'Où vos utilisateurs ont-ils leurs comptes ?',
  registerTitle: (provider) => `Enregistrement auprès de ${provider}`,
  registerOther: 'Enregistrement auprès de votre fournisseur',
  redirect: 'URI de redirection',
  redirectHint: 'Là où le fournisseur renvoie les utilisateurs après leur connexion.',
  elsewhere: (origin) =>
    `Vous avez ouvert la console à l’adresse ${origin}. Si les utilisateurs font de même, donnez d’abord cette valeur à PUBLIC_BASE_URL : l’URI de redirection en est tirée.`,
  insecure: 'De nombreux fournisseurs n’acceptent que des adresses https. Celle-ci est tirée de PUBLIC_BASE_URL.',
  connectTitle: 'Ce que le fournisseur vous a donné',
  issuer: 'URL de l’émetteur',
  connect: 'Enregistrer et connecter',
  connected: (issuer) => `Connecté à ${issuer}`,
  saved: 'Enregistré, mais non connecté',
  usersTitle: 'Qui peut se connecter ?',
  usersHint: 'Les utilisateurs déjà associés au fournisseur le peuvent toujours.',
  noVerified: (provider) =>
    `${provider} n’indique pas si une adresse e-mail a été vérifiée. Les utilisateurs existants sont associés sur leur page d’utilisateur, ou lors de leur importation.`,
  linkRisk:
    'N’activez cette option que si le fournisseur vérifie les adresses et si seule votre organisation peut y créer des comptes.',
  groupsTitle: 'Groupes (facultatif)',
  groupsHint:
    'Les utilisateurs peuvent rejoindre des groupes ici selon leurs groupes chez le fournisseur. Sinon, vous les ajoutez vous-même.',
  moreSettings: 'Autres paramètres',
  testTitle: 'Connectez-vous une fois',
  testHint: (name) =>
    `Ouvrez la page de connexion dans une fenêtre privée et choisissez « Continuer avec ${name} ». Restez connecté ici.`,
  signInPage: 'Page de connexion',
  waiting: 'En attente d’une connexion…',
  signedIn: (email) => `Connexion réussie : ${email}`,
  refused: (who, reason) => `${who} : ${reason}`,
  stranger: 'Échec de la connexion',
  notProvisioned: 'La connexion ne crée pas de comptes. Revenez à « Utilisateurs », ou créez d’abord le compte.',
  emailInUse: 'Un utilisateur avec cette adresse e-mail existe, mais n’est pas associé au fournisseur.',
  finish: 'Terminer',
}

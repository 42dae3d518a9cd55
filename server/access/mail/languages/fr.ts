import type { SignInChange, SignInChanger, Texts } from './en.ts'

const yours = { tokens: 'Votre jeton d’accès', access_keys: 'Votre clé d’accès' } as const
const own = { tokens: 'ce jeton d’accès', access_keys: 'cette clé d’accès' } as const
const another = { tokens: 'un autre jeton', access_keys: 'une autre clé' } as const
const who = (by: string | null): string => by ?? 'Un administrateur'

const changed: { readonly [C in SignInChange]: (name: string) => string } = {
  password_set: () => 'Votre compte a maintenant un mot de passe',
  password_changed: () => 'Votre mot de passe a été modifié',
  password_removed: () => 'Votre mot de passe a été supprimé',
  app_added: (name) => `L’application d’authentification « ${name} » a été ajoutée à votre compte`,
  app_removed: (name) => `L’application d’authentification « ${name} » a été retirée de votre compte`,
  passkey_added: (name) => `La passkey « ${name} » a été ajoutée à votre compte`,
  passkey_removed: (name) => `La passkey « ${name} » a été retirée de votre compte`,
  factors_removed: () => 'La vérification en deux étapes a été désactivée pour votre compte',
  codes_replaced: () => 'Vos codes de récupération ont été remplacés',
  identity_linked: () => 'Votre compte a été associé à un fournisseur d’identité',
  identity_unlinked: () => 'Votre compte n’est plus associé à un fournisseur d’identité',
  address_added: () => 'Cette adresse est maintenant l’adresse e-mail de votre compte',
  address_removed: () => 'Cette adresse n’est plus l’adresse e-mail de votre compte',
}
const changedBy: { readonly [B in SignInChanger]: string } = {
  self: 'par vous, ou par quelqu’un connecté à votre place',
  reset_link: 'avec un lien de « Mot de passe oublié ? », envoyé à cette adresse',
  invitation: 'avec le lien d’une invitation',
  administrator: 'par un administrateur',
  identity_provider: 'lors d’une connexion par le fournisseur d’identité',
}

/** What mails say, in French. */
export const texts: Texts = {
  expiringSubject: ({ kind, name, left }) => `${yours[kind]} « ${name} » expire ${left}`,
  expiring: ({ kind, name, mark, left, at }) => `${yours[kind]} « ${name} » (${mark}) expire ${left}, le ${at}.`,
  expiringHint: (kind) =>
    `Les programmes qui l’utilisent seront alors refusés. S’ils servent encore, créez ${another[kind]} et configurez-les pour l’utiliser :`,
  expiringReason: (kind) => `Vous recevez cet e-mail parce que ${own[kind]} vous appartient.`,

  openedSubject: (name) => `Votre lien vers « ${name} » a été ouvert`,
  opened: ({ took, name, bucket, at }) =>
    `Votre ${took ? 'lien d’envoi' : 'lien'} vers « ${name} » dans le bucket « ${bucket} » a été ouvert pour la première fois le ${at}.`,
  openedHint: 'Qui l’a ouvert depuis, et tout le reste sur vos liens :',
  openedReason: 'Vous recevez cet e-mail une seule fois, parce que vous l’avez demandé lors du partage.',

  invitationSubject: (by) => `${who(by)} a créé un compte pour vous`,
  invitation: (by, until) =>
    `${who(by)} a créé un compte pour vous. Choisissez un mot de passe pour y accéder. Le lien fonctionne une seule fois, jusqu’au ${until} :`,
  invitationReason:
    'Si vous ne vous y attendiez pas, ignorez cet e-mail : sans mot de passe, personne ne peut utiliser le compte.',

  resetSubject: 'Choisissez un nouveau mot de passe',
  reset: (until) =>
    `Quelqu’un a demandé un nouveau mot de passe pour votre compte. Si c’était vous, choisissez-en un maintenant. Le lien fonctionne une seule fois, jusqu’au ${until}. Il vous déconnecte partout ailleurs :`,
  resetReason: 'Si ce n’était pas vous, ignorez ce message : votre mot de passe ne change pas.',

  signInSubject: 'Votre façon de vous connecter a changé',
  signInChanged: ({ change, name }) => changed[change](name),
  signInStop: '.',
  signInBy: ({ by, at }) => `Cela s’est passé le ${at}, ${changedBy[by]}.`,
  signInReset:
    'Si ce n’était pas vous, quelqu’un d’autre peut accéder à votre compte. Choisissez tout de suite un nouveau mot de passe avec « Mot de passe oublié ? » sur la page de connexion, ce qui déconnecte tout le monde. Vérifiez ensuite votre compte et prévenez un administrateur :',
  signInAsk:
    'Si ce n’était pas vous et que vous n’en savez rien, prévenez tout de suite un administrateur. Votre compte :',
  signInReason: 'Vous recevez cet e-mail parce qu’il s’agit de votre façon de vous connecter.',

  fillingSubject: (bucket, percent) => `Le bucket « ${bucket} » est plein à ${percent}`,
  filling: ({ bucket, percent, held, quota }) =>
    `Le bucket « ${bucket} » a atteint ${percent} de son quota : ${held} sur ${quota}, envois en cours compris.`,
  fillingHint: 'Une fois plein, il refusera les envois. Son quota et son contenu :',
  fillingReason: 'Vous recevez cet e-mail parce que vous êtes administrateur.',

  approvalSubject: (agent) => `L’agent « ${agent} » demande votre approbation`,
  approval: ({ agent, objects, size }) =>
    objects === 0
      ? `L’agent « ${agent} » demande votre approbation. Rien n’est fait avant votre décision.`
      : `L’agent « ${agent} » demande à modifier ${objects} ${objects === 1 ? 'objet' : 'objets'} (${size}). Rien n’est fait avant votre décision.`,
  approvalHint: 'Ce qui se passerait exactement, et votre décision :',
  approvalReason: 'Vous recevez cet e-mail parce que l’agent est à vous.',

  testSubject: (site) => `E-mail de test : ${site}`,
  test: (site) => `La messagerie fonctionne : ${site} vous a envoyé cet e-mail depuis ses paramètres.`,
  testReason: 'Vous recevez cet e-mail parce que vous l’avez demandé.',

  signature: (site, reason) => `${site}. ${reason}`,
}

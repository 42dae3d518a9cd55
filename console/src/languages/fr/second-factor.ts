import type * as english from '../../features/second-factor/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Vérification en deux étapes',
  hint: 'Une deuxième étape après votre mot de passe, avec une application d’authentification ou une passkey. La plupart des passkeys vous connectent aussi sans mot de passe.',
  // Sign-in
  codeHint: 'Ouvrez votre application d’authentification et saisissez le code qu’elle affiche.',
  code: 'Code',
  verify: 'Vérifier',
  usePasskey: 'Utiliser une passkey',
  or: 'ou',
  useRecovery: 'Utiliser un code de récupération',
  recoveryCode: 'Code de récupération',
  recoveryHint: 'Chaque code de récupération ne fonctionne qu’une fois.',
  otherWay: 'Utiliser une autre méthode',
  again: 'Retour à la connexion',
  noWay:
    'Aucune de vos deuxièmes étapes ne peut être utilisée à cette adresse. Demandez à un administrateur de les réinitialiser.',
  passkeyFailed: 'La passkey n’a pas été utilisée. Réessayez, ou utilisez une autre méthode.',
  passkeyRefused:
    'Cette passkey ne permet pas de vous connecter ici. Utilisez votre mot de passe, ou une autre passkey.',
  passkeyKnown: 'Cette passkey est déjà enregistrée.',
  // Setting it up
  requiredHint: 'Votre administrateur exige une deuxième étape à la connexion. Configurez-en une pour continuer.',
  app: 'Application d’authentification',
  passkey: 'Passkey',
  kinds: (kind) => (kind === 'totp' ? 'Application d’authentification' : 'Passkey'),
  alone: (kind) => `${kind}, aussi sans mot de passe`,
  useApp: 'Configurer une application d’authentification',
  createPasskey: 'Créer une passkey',
  passkeyHint: 'Votre appareil, navigateur ou clé de sécurité vous demande de confirmer.',
  noPasskeys:
    'Les passkeys exigent un service qui connaît sa propre adresse : HTTPS avec un nom d’hôte, ou http://localhost, dans PUBLIC_BASE_URL. D’ici là, utilisez une application d’authentification.',
  scan: 'Scannez ce code avec votre application d’authentification, puis saisissez le code qu’elle affiche.',
  qr: 'Code QR pour votre application d’authentification',
  key: 'Ou saisissez cette clé',
  back: 'Retour',
  // Recovery codes
  recoveryTitle: 'Codes de récupération',
  recoveryUse:
    'Utilisez l’un d’eux pour vous connecter si vous n’avez pas votre téléphone ou votre passkey. Chacun ne fonctionne qu’une fois.',
  recoveryAll: 'Tous les codes',
  download: 'Télécharger',
  recoveryFile: (email) => `Codes de récupération Strongroom pour ${email}`,
  // Account
  addApp: 'Ajouter une application d’authentification',
  addPasskey: 'Ajouter une passkey',
  name: 'Nom',
  kind: 'Type',
  added: 'Ajout',
  used: 'Dernière utilisation',
  add: 'Ajouter',
  none: 'Pas encore configurée. Toute personne connaissant votre mot de passe peut se connecter.',
  required: 'Votre administrateur exige une deuxième étape à la connexion.',
  ssoOnly:
    'Vous vous connectez avec l’authentification unique. Votre fournisseur d’identité se charge de la deuxième étape.',
  codesLeft: (n) => `${plural(n, { one: 'code de récupération restant', other: 'codes de récupération restants' })}.`,
  newCodes: 'Nouveaux codes de récupération',
  newCodesHint: 'Les codes que vous avez actuellement cesseront de fonctionner.',
  createCodes: 'Créer',
  rename: 'Renommer',
  renameOf: (name) => `Renommer ${name}`,
  renamed: 'Nom modifié',
  remove: 'Supprimer',
  removeOf: (name) => `Supprimer ${name}`,
  removeTitle: (name) => `Supprimer ${name} ?`,
  removeHint: 'Vous ne pourrez plus l’utiliser pour vous connecter. Vos sessions continuent.',
  removeLast:
    'C’est votre dernière méthode : ensuite, votre mot de passe seul suffira pour se connecter. Les codes de récupération sont aussi supprimés.',
  removed: (name) => `Méthode supprimée : ${name}`,
  addedNow: (name) => `Méthode ajoutée : ${name}`,
  password: 'Mot de passe actuel',
  proofCode: 'Code ou code de récupération',
  proofCodeHint: 'Cette session a commencé sans deuxième étape ; votre mot de passe ne suffit donc pas.',
  wrong: 'Incorrect ou déjà utilisé.',
}

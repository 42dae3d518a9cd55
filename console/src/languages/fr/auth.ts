import type * as english from '../../features/auth/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Connexion',
  email: 'E-mail',
  password: 'Mot de passe',
  signIn: 'Se connecter',
  continueWith: (name) => `Continuer avec ${name}`,
  provider: 'l’authentification unique',
  or: 'ou',
  bothOff: 'Toutes les méthodes de connexion sont désactivées',
  bothOffHint: 'Exécutez `strongroom enable-local-login` sur le serveur pour réactiver la connexion par mot de passe.',
  sessionEnded: 'Votre session a expiré. Connectez-vous pour continuer.',
  failed: 'Échec de la connexion',
  failedHint: 'Le fournisseur d’identité a annulé la connexion.',
  notProvisionedHint: 'Demandez à votre administrateur de vous ajouter.',
  signedIn: 'Vous êtes connecté',
  signedInHint: 'Revenez à l’onglet où vous étiez. Vous pouvez fermer celui-ci.',
  openConsole: 'Ouvrir la console',
  again: 'Retour à la connexion',
  finishing: 'Connexion en cours…',
  language: 'Langue',
  firstStart:
    'Premier démarrage ? Le serveur a affiché comment se connecter. Il n’affiche pas un mot de passe choisi par vous.',
  setupTitle: 'Configurer Strongroom',
  setupHint: 'Créez le premier compte administrateur. Ce lien ne fonctionne qu’une fois.',
  setUpAlready: 'La configuration est déjà terminée',
  setUpAlreadyHint: 'Un compte administrateur existe déjà.',
  noAdmin: 'Pas encore d’administrateur',
  findLink:
    'Le serveur a affiché un lien de configuration à son démarrage. Consultez sa sortie ou son journal, et utilisez le plus récent :',
  database: 'Base de données',
  storage: 'Stockage',
  answers: 'Connecté',
  silent: 'Injoignable',
  asking: 'Vérification…',
  adminEmail: 'E-mail de l’administrateur',
  name: 'Nom (facultatif)',
  passwordRule: (bytes) =>
    bytes > 72
      ? `Trop long : ${bytes} octets, 72 au maximum.`
      : bytes > 0 && bytes < 8
        ? 'Trop court. Utilisez au moins 8 caractères.'
        : 'Au moins 8 caractères.',
  createAdmin: 'Créer le compte et se connecter',
  newPassword: 'Nouveau mot de passe',
  newPasswordAgain: 'Répétez le nouveau mot de passe',
  differ: 'Les mots de passe ne correspondent pas.',
  replaceTitle: 'Choisissez un nouveau mot de passe',
  replaceHint: 'Votre mot de passe a été défini par un administrateur. Remplacez-le pour continuer.',
  replace: 'Enregistrer et se connecter',
  invitationTitle: 'Bienvenue dans Strongroom',
  invitationHint: (name) => `${name}, choisissez un mot de passe pour votre compte.`,
  acceptInvitation: 'Enregistrer et se connecter',
  invitationOver: 'Cette invitation n’est plus valable',
  invitationOverHint:
    'Elle a expiré, a été utilisée ou a été remplacée par une plus récente. Si vous avez déjà choisi un mot de passe, connectez-vous avec celui-ci. Sinon, demandez une nouvelle invitation.',
  toSignIn: 'Aller à la connexion',
  passkeySignIn: 'Se connecter avec une passkey',
  forgot: 'Mot de passe oublié ?',
  forgotTitle: 'Mot de passe oublié ?',
  forgotHint: 'Saisissez votre adresse e-mail. Vous recevrez un lien pour choisir un nouveau mot de passe.',
  sendLink: 'Envoyer le lien',
  linkSentTitle: 'Consultez vos e-mails',
  linkSent: (email) =>
    `Si ${email} correspond à un compte avec mot de passe, un lien pour en choisir un nouveau est en route. Il est valable une heure.`,
  linkSentHint:
    'Rien reçu ? Regardez dans vos courriers indésirables, ou demandez à un administrateur. Si vous utilisez l’authentification unique, vous n’avez pas de mot de passe ici.',
  noMail:
    'Ce service ne peut pas envoyer d’e-mails. Demandez à un administrateur : il peut définir un nouveau mot de passe pour vous sous Utilisateurs.',
  noMailAdmin: 'Les administrateurs exécutent `strongroom reset-password` avec leur adresse e-mail sur le serveur.',
  noPasswords:
    'Personne ne se connecte ici avec un mot de passe. Si vous n’avez plus accès, adressez-vous aux responsables de votre authentification unique.',
  resetTitle: 'Choisissez un nouveau mot de passe',
  resetHint: 'Vous serez déconnecté partout ailleurs. Votre deuxième étape ne change pas.',
  resetOver: 'Ce lien n’est plus valable',
  resetOverHint: 'Il a expiré ou a déjà été utilisé, ou votre mot de passe a été modifié depuis.',
  askAgain: 'Demander un nouveau lien',
}

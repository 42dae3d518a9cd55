import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: 'Serveur injoignable',
  unreachableHint: 'Vérifiez votre connexion, puis réessayez.',
  needs: (right, place) =>
    place === undefined
      ? `Il vous faut l’autorisation « ${right} ».`
      : `Il vous faut l’autorisation « ${right} » sur ${place}`,
  broken: 'Une erreur s’est produite',
  sentence: (words) => `${words}.`,
  later: 'Réessayez plus tard.',
}

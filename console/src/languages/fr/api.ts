import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: 'Serveur injoignable',
  unreachableHint: 'Vérifiez votre connexion, puis réessayez.',
  broken: 'Une erreur s’est produite',
}

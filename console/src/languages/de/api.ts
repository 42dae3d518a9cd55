import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: 'Server nicht erreichbar',
  unreachableHint: 'Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
  needs: (right, place) =>
    place === undefined
      ? `Sie brauchen die Berechtigung „${right}“.`
      : `Sie brauchen die Berechtigung „${right}“ für ${place}`,
  broken: 'Etwas ist schiefgelaufen',
  sentence: (words) => `${words}.`,
  later: 'Versuchen Sie es später noch einmal.',
}

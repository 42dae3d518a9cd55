import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: 'No se puede conectar con el servidor',
  unreachableHint: 'Compruebe la conexión e inténtelo de nuevo.',
  needs: (right, place) =>
    place === undefined ? `Necesita el permiso «${right}».` : `Necesita el permiso «${right}» en ${place}`,
  broken: 'Se ha producido un error',
  sentence: (words) => `${words}.`,
  later: 'Inténtelo de nuevo más tarde.',
}

import type * as english from '../../api/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  unreachable: 'No se puede conectar con el servidor',
  unreachableHint: 'Compruebe la conexión e inténtelo de nuevo.',
  broken: 'Se ha producido un error',
}

import type * as english from '../../features/past/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: (place) => `¿Qué había en ${place}?`,
  ago: (span) => ({ hour: 'Hace una hora', day: 'Ayer', week: 'La semana pasada', month: 'Hace un mes' })[span],
  usual: 'Momentos habituales',
  moment: 'Fecha y hora',
  momentHint: 'Muestra la lista tal como era. No se cambia nada.',
  notYet: 'Este momento está en el futuro.',
  show: 'Mostrar',
  snapshots: 'Instantáneas',
  change: 'Otro momento…',
  changes: 'Cambios e instantáneas',
  nothingKept: 'Este bucket no conserva papelera ni versiones. Solo puede mostrarse lo que guardan las instantáneas.',
  band: 'El pasado',
  asOf: (time) => `A fecha de ${time}`,
  snapshot: (name) => `Instantánea ${name}`,
  readOnly: 'Solo lectura: esto es el pasado.',
  since: 'Cambios desde entonces',
  now: 'Volver al presente',
  wasEmpty: 'Aquí no había nada',
  wasEmptyHint: 'La carpeta no existía en ese momento, o estaba vacía.',
  unknown: 'Este momento no puede mostrarse',
  erasedHint: 'Su contenido se eliminó definitivamente desde entonces.',
  noPreview: 'No hay vista previa de este tipo de archivo en el pasado. Descárguelo para abrirlo.',
  noFormer: 'La papelera no tiene contenidos anteriores de este archivo.',
  replaced: 'Sustituido',
}

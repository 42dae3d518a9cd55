import type * as english from '../../features/protection/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

const days = (n: number) => plural(n, { one: 'día', other: 'días' })
const years = (n: number) => plural(n, { one: 'año', other: 'años' })

export const text: Translation<typeof english.text> = {
  title: 'Protección',
  summary: 'Qué se puede quitar y quién puede hacerlo',
  // Sentences
  trashOnly: (n) =>
    `Los archivos reemplazados y eliminados van a la papelera, desde donde se pueden restaurar durante ${days(n)}. Después se eliminan definitivamente.`,
  nothingKept:
    'Los archivos reemplazados y eliminados se eliminan definitivamente de inmediato: las versiones y la papelera están desactivadas.',
  versionsKept:
    'Los archivos reemplazados y eliminados permanecen como versiones hasta que un usuario con “delete” o una política de limpieza elimina la versión.',
  versionsLeft:
    'Las versiones anteriores permanecen hasta que un usuario con “delete” o una política de limpieza las elimina. No se crean nuevas.',
  versionsTrash: (n) =>
    `Las versiones eliminadas van a la papelera, desde donde se pueden restaurar durante ${days(n)}.`,
  versionsGone: 'Las versiones eliminadas se eliminan definitivamente de inmediato: la papelera está desactivada.',
  purge: 'Los usuarios con “manage” pueden vaciar la papelera en cualquier momento.',
  purgeVersions:
    'Los usuarios con “manage” pueden vaciar la papelera en cualquier momento y eliminar versiones definitivamente.',
  purgeUnlocked:
    'Los usuarios con “manage” pueden vaciar la papelera en cualquier momento y eliminar definitivamente las versiones que no estén bloqueadas.',
  notLocked: 'En este bucket no se puede bloquear nada.',
  lockedSingly:
    'Las versiones se pueden bloquear una a una. Una versión bloqueada no se puede eliminar hasta que termina su bloqueo.',
  lockedCompliance: (period) =>
    `Cada versión nueva se bloquea durante ${period}. Hasta entonces nadie puede eliminarla, ni siquiera un administrador.`,
  lockedGovernance: (period) =>
    `Cada versión nueva se bloquea durante ${period}. Hasta entonces solo los usuarios con “bypass_lock” pueden eliminarla.`,
  holds: 'Una versión con retención legal permanece hasta que un usuario con “manage” la levanta.',
  overwrite:
    'Los archivos bloqueados se pueden reemplazar y eliminar: la versión bloqueada permanece detrás de la nueva.',
  // Public access
  private: 'En este bucket no hay nada público.',
  readOnly: 'Aquí nadie puede cambiar ni quitar nada: el bucket es de solo lectura.',
  readOnlyEngine:
    'Muestra lo que se guarda en un motor S3. Quien tenga acceso al motor puede cambiarlo y quitarlo allí.',
  publicAccess: 'Acceso público',
  publicBlocked: 'Bloqueado: las políticas de bucket, las ACL y los permisos del grupo “Public” no tienen efecto aquí.',
  publicRemoves: 'Cualquiera puede reemplazar o eliminar archivos en el endpoint S3, sin clave de acceso.',
  publicHow:
    'Lo permite una política de bucket, una ACL o los permisos del grupo “Public”. Los cambios se aplican a la siguiente solicitud; las cachés pueden conservar un objeto durante un minuto.',
  blockPublic: 'Bloquear acceso público',
  blockTitle: (bucket) => `¿Bloquear el acceso público a ${bucket}?`,
  blockText:
    'A partir de entonces, toda solicitud necesita una clave de acceso. Puede levantar el bloqueo más adelante.',
  allowPublic: 'Levantar el bloqueo',
  blocked: 'Acceso público bloqueado',
  unblocked: 'Bloqueo levantado',
  // Versions
  versioning: 'Versiones',
  versioningIs: (state) =>
    ({
      off: 'Desactivadas: los archivos reemplazados y eliminados van a la papelera.',
      enabled: 'Activadas: los archivos reemplazados y eliminados se conservan como versiones hasta que se eliminan.',
      suspended: 'Suspendidas: las versiones existentes se conservan, pero no se crean nuevas.',
    })[state],
  versionBytes: (size) => `Las versiones anteriores ocupan ${size} de la cuota.`,
  enable: 'Activar versiones',
  enableTitle: (bucket) => `¿Conservar versiones en ${bucket}?`,
  enableText:
    'Los archivos reemplazados y eliminados permanecen entonces como versiones y cuentan para la cuota. Más adelante puede suspender las versiones, pero no desactivarlas.',
  enabled: 'Versiones activadas',
  suspend: 'Suspender versiones',
  suspended: 'Versiones suspendidas',
  lockKeepsOn: 'El bloqueo de objetos mantiene activadas las versiones.',
  // Object Lock
  objectLock: 'Bloqueo de objetos',
  lockOff: 'Desactivado. Actívelo para impedir durante un tiempo que se eliminen versiones.',
  lockNeedsVersions: 'Desactivado. Necesita versiones.',
  lockOn: 'Activado. No se puede volver a desactivar.',
  turnOn: 'Activar bloqueo de objetos',
  turnOnTitle: (bucket) => `¿Activar el bloqueo de objetos en ${bucket}?`,
  turnOnText: 'No se puede volver a desactivar, y entonces las versiones ya no se pueden suspender.',
  turnedOn: 'Bloqueo de objetos activado',
  byDefault: 'Versiones nuevas',
  mode: (mode) =>
    ({
      none: 'Sin bloqueo predeterminado',
      governance: 'Bloqueadas en modo de gobernanza',
      compliance: 'Bloqueadas en modo de cumplimiento',
    })[mode],
  modeHint: (mode) =>
    ({
      none: 'Los clientes S3 y los usuarios bloquean las versiones que elijan.',
      governance: 'Los usuarios con “bypass_lock” aún pueden eliminar una versión o acortar su bloqueo.',
      compliance: 'Nadie puede eliminar una versión ni acortar su bloqueo, ni siquiera un administrador.',
    })[mode],
  period: 'Durante',
  unit: 'Unidad',
  days: 'días',
  years: 'años',
  daysOf: days,
  yearsOf: years,
  save: 'Guardar',
  saved: 'Bloqueo de objetos guardado',
  complianceTitle: (period) => `¿Bloquear cada versión nueva durante ${period}?`,
  complianceText:
    'En modo de cumplimiento nadie puede deshacerlo para las versiones ya subidas, ni siquiera un administrador.',
  complianceAction: 'Bloquear versiones nuevas',
  // The clock
  clockTitle: 'El reloj es dudoso',
  confirmClock: 'Confirmar el reloj',
  confirmClockTitle: '¿Confirmar el reloj?',
  confirmClockText: (now) =>
    `Marca ${now}. Las versiones cuyo bloqueo haya terminado según este reloj se podrán eliminar definitivamente.`,
  clockConfirmed: 'Reloj confirmado',
  // One version
  lock: 'Bloquear…',
  lockWhat: (name, time) => `${name}, versión del ${time}`,
  lockDo: 'Bloquear',
  notLockedHint: 'Los usuarios con «delete» pueden eliminar esta versión.',
  lockTitle: 'Bloquear esta versión',
  lockMode: 'Modo',
  modeName: (mode) => ({ none: 'Sin bloqueo', governance: 'Gobernanza', compliance: 'Cumplimiento' })[mode],
  until: 'Hasta',
  bypasses: 'La versión está bloqueada en modo de gobernanza. Esto usa su permiso “bypass_lock”.',
  legalHold: 'Retención legal',
  legalHoldHint: 'Conserva la versión hasta que se levante la retención. Se requiere el permiso “manage”.',
  locked: 'Bloqueo guardado',
  lockedUntil: (time) => `Bloqueada hasta el ${time}`,
  onHold: 'Retención legal',
  compliance: 'Nadie puede eliminarla antes.',
  governance: 'Solo los usuarios con “bypass_lock” pueden eliminarla antes.',
  heldHint: 'Permanece hasta que un usuario con “manage” levanta la retención.',
  lockEnded: (time) => `El bloqueo terminó el ${time}`,
}

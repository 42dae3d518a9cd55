import type * as english from '../../features/second-factor/messages.ts'
import { plural, type Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Verificación en dos pasos',
  hint: 'Un segundo paso después de la contraseña, con una aplicación de autenticación o una llave de acceso. Con la mayoría de las llaves de acceso también puede iniciar sesión sin contraseña.',
  // Sign-in
  codeHint: 'Abra la aplicación de autenticación e introduzca el código que muestra.',
  code: 'Código',
  verify: 'Verificar',
  usePasskey: 'Usar llave de acceso',
  or: 'o',
  useRecovery: 'Usar un código de recuperación',
  recoveryCode: 'Código de recuperación',
  recoveryHint: 'Cada código de recuperación funciona una sola vez.',
  otherWay: 'Usar otro método',
  again: 'Volver al inicio de sesión',
  noWay: 'En esta dirección no puede usar ninguno de sus segundos pasos. Pida a un administrador que los restablezca.',
  passkeyFailed: 'No se ha usado la llave de acceso. Inténtelo de nuevo o use otro método.',
  passkeyRefused: 'Con esta llave de acceso no puede iniciar sesión aquí. Use su contraseña u otra llave de acceso.',
  passkeyKnown: 'Esta llave de acceso ya está registrada.',
  // Setting it up
  requiredHint: 'Su administrador exige un segundo paso al iniciar sesión. Configure uno para continuar.',
  app: 'Aplicación de autenticación',
  passkey: 'Llave de acceso',
  kinds: (kind) => (kind === 'totp' ? 'Aplicación de autenticación' : 'Llave de acceso'),
  alone: (kind) => `${kind}, también sin contraseña`,
  useApp: 'Configurar aplicación de autenticación',
  createPasskey: 'Crear llave de acceso',
  passkeyHint: 'Su dispositivo, navegador o llave de seguridad le pedirá que confirme.',
  noPasskeys:
    'Las llaves de acceso necesitan un servicio que conozca su propia dirección: HTTPS con un nombre de host, o http://localhost, en PUBLIC_BASE_URL. Hasta entonces, use una aplicación de autenticación.',
  scan: 'Escanee este código con la aplicación de autenticación y después introduzca el código que muestra.',
  qr: 'Código QR para la aplicación de autenticación',
  key: 'O introduzca esta clave',
  back: 'Atrás',
  // Recovery codes
  recoveryTitle: 'Códigos de recuperación',
  recoveryUse:
    'Use uno de ellos para iniciar sesión cuando no tenga su teléfono o su llave de acceso. Cada uno funciona una sola vez.',
  recoveryAll: 'Todos los códigos',
  download: 'Descargar',
  recoveryFile: (email) => `Códigos de recuperación de Strongroom para ${email}`,
  // Account
  addApp: 'Añadir aplicación de autenticación',
  addPasskey: 'Añadir llave de acceso',
  name: 'Nombre',
  kind: 'Tipo',
  added: 'Añadido',
  used: 'Último uso',
  add: 'Añadir',
  none: 'Todavía no está configurada. Quien conozca su contraseña puede iniciar sesión.',
  required: 'Su administrador exige un segundo paso al iniciar sesión.',
  ssoOnly: 'Usted usa el inicio de sesión único. Su proveedor de identidad se encarga del segundo paso.',
  codesLeft: (n) =>
    n === 1
      ? 'Queda 1 código de recuperación.'
      : `Quedan ${plural(n, { one: 'código de recuperación', other: 'códigos de recuperación' })}.`,
  newCodes: 'Nuevos códigos de recuperación',
  newCodesHint: 'Los códigos que tiene ahora dejan de funcionar.',
  createCodes: 'Crear',
  rename: 'Cambiar nombre',
  renameOf: (name) => `Cambiar el nombre de ${name}`,
  renamed: 'Nombre cambiado',
  remove: 'Quitar',
  removeOf: (name) => `Quitar ${name}`,
  removeTitle: (name) => `¿Quitar ${name}?`,
  removeHint: 'Ya no podrá usarlo para iniciar sesión. Sus sesiones continúan.',
  removeLast:
    'Es el último: después bastará su contraseña para iniciar sesión. También se eliminan los códigos de recuperación.',
  removed: (name) => `Se ha quitado ${name}`,
  addedNow: (name) => `Se ha añadido ${name}`,
  password: 'Contraseña actual',
  proofCode: 'Código o código de recuperación',
  proofCodeHint: 'Esta sesión empezó sin un segundo paso, por lo que su contraseña no basta.',
  wrong: 'Incorrecto o ya utilizado.',
}

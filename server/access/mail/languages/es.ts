import type { SignInChange, SignInChanger, Texts } from './en.ts'

const what = { tokens: 'token de acceso', access_keys: 'clave de acceso' } as const
const who = (by: string | null): string => by ?? 'Un administrador'

const changed: { readonly [C in SignInChange]: (name: string) => string } = {
  password_set: () => 'Su cuenta tiene ahora una contraseña',
  password_changed: () => 'Se ha cambiado su contraseña',
  password_removed: () => 'Se ha quitado su contraseña',
  app_added: (name) => `Se ha añadido a su cuenta la aplicación de autenticación “${name}”`,
  app_removed: (name) => `Se ha quitado de su cuenta la aplicación de autenticación “${name}”`,
  passkey_added: (name) => `Se ha añadido a su cuenta la llave de acceso “${name}”`,
  passkey_removed: (name) => `Se ha quitado de su cuenta la llave de acceso “${name}”`,
  factors_removed: () => 'Se ha desactivado la verificación en dos pasos de su cuenta',
  codes_replaced: () => 'Se han sustituido sus códigos de recuperación',
  identity_linked: () => 'Su cuenta se ha vinculado a un proveedor de identidad',
  identity_unlinked: () => 'Su cuenta ya no está vinculada a un proveedor de identidad',
  address_added: () => 'Esta es ahora la dirección de correo de su cuenta',
  address_removed: () => 'Esta ya no es la dirección de correo de su cuenta',
}
const changedBy: { readonly [B in SignInChanger]: string } = {
  self: 'por usted, o por alguien con su sesión iniciada',
  reset_link: 'con un enlace de “¿Ha olvidado la contraseña?”, enviado a esta dirección',
  invitation: 'con el enlace de una invitación',
  administrator: 'por un administrador',
  identity_provider: 'al iniciar sesión con el proveedor de identidad',
}

/** What mails say, in Spanish. */
export const texts: Texts = {
  expiringSubject: ({ kind, name, left }) => `Su ${what[kind]} “${name}” caduca ${left}`,
  expiring: ({ kind, name, mark, left, at }) => `Su ${what[kind]} “${name}” (${mark}) caduca ${left}, el ${at}.`,
  expiringHint: (kind) =>
    kind === 'tokens'
      ? 'A partir de entonces se rechazarán los programas que lo usen. Si todavía los necesita, cree otro token y configúrelos para que usen el nuevo:'
      : 'A partir de entonces se rechazarán los programas que la usen. Si todavía los necesita, cree otra clave y configúrelos para que usen la nueva:',
  expiringReason: (kind) =>
    kind === 'tokens'
      ? 'Recibe este correo porque el token de acceso es suyo.'
      : 'Recibe este correo porque la clave de acceso es suya.',

  openedSubject: (name) => `Se ha abierto su enlace a “${name}”`,
  opened: ({ took, name, bucket, at }) =>
    `Su ${took ? 'enlace de subida' : 'enlace'} a “${name}” en el bucket “${bucket}” se abrió por primera vez el ${at}.`,
  openedHint: 'Quién lo ha abierto desde entonces y todo lo demás sobre sus enlaces:',
  openedReason: 'Recibe este correo una sola vez, porque lo pidió al compartir.',

  invitationSubject: (by) => `${who(by)} ha creado una cuenta para usted`,
  invitation: (by, until) =>
    `${who(by)} ha creado una cuenta para usted. Elija una contraseña y podrá entrar. El enlace funciona una sola vez, hasta el ${until}:`,
  invitationReason: 'Si no lo esperaba, ignore este correo: sin contraseña, nadie puede usar la cuenta.',

  resetSubject: 'Elija una contraseña nueva',
  reset: (until) =>
    `Alguien ha pedido una contraseña nueva para su cuenta. Si ha sido usted, elíjala ahora. El enlace funciona una sola vez, hasta el ${until}. Cierra sus sesiones en todos los demás sitios:`,
  resetReason: 'Si no ha sido usted, ignore este mensaje: su contraseña no cambia.',

  signInSubject: 'Ha cambiado su forma de iniciar sesión',
  signInChanged: ({ change, name }) => changed[change](name),
  signInStop: '.',
  signInBy: ({ by, at }) => `Ocurrió el ${at}, ${changedBy[by]}.`,
  signInReset:
    'Si no ha sido usted, es posible que otra persona entre en su cuenta. Elija ahora mismo una contraseña nueva con “¿Ha olvidado la contraseña?” en la página de inicio de sesión: cierra todas las sesiones. Después, revise su cuenta y avise a un administrador:',
  signInAsk: 'Si no ha sido usted y no sabe nada de ello, avise enseguida a un administrador. Su cuenta:',
  signInReason: 'Recibe este correo porque se trata de su forma de iniciar sesión.',

  fillingSubject: (bucket, percent) => `El bucket “${bucket}” está lleno al ${percent}`,
  filling: ({ bucket, percent, held, quota }) =>
    `El bucket “${bucket}” ha alcanzado el ${percent} de su cuota: ${held} de ${quota}, incluido lo que se está subiendo.`,
  fillingHint: 'Cuando esté lleno, se rechazarán las subidas. Su cuota y su contenido:',
  fillingReason: 'Recibe este correo porque es administrador.',

  approvalSubject: (agent) => `El agente «${agent}» pide su aprobación`,
  approval: ({ agent, objects, size }) =>
    objects === 0
      ? `El agente «${agent}» pide su aprobación. No se hace nada hasta que decida.`
      : `El agente «${agent}» pide cambiar ${objects} ${objects === 1 ? 'objeto' : 'objetos'} (${size}). No se hace nada hasta que decida.`,
  approvalHint: 'Qué ocurriría exactamente, y su decisión:',
  approvalReason: 'Recibe este correo porque el agente es suyo.',

  testSubject: (site) => `Correo de prueba de ${site}`,
  test: (site) => `El correo funciona: ${site} le ha enviado este mensaje desde su configuración.`,
  testReason: 'Recibe este correo porque lo ha pedido.',

  signature: (site, reason) => `${site}. ${reason}`,
}

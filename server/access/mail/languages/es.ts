import type { Texts } from './en.ts'

const what = { tokens: 'token de acceso', access_keys: 'clave de acceso' } as const
const who = (by: string | null): string => by ?? 'Un administrador'

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

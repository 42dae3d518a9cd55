import type * as english from '../../features/auth/messages.ts'
import type { Translation } from '../../i18n.ts'

export const text: Translation<typeof english.text> = {
  title: 'Iniciar sesión',
  email: 'Correo electrónico',
  password: 'Contraseña',
  signIn: 'Iniciar sesión',
  continueWith: (name) => `Continuar con ${name}`,
  provider: 'inicio de sesión único',
  or: 'o',
  bothOff: 'Todos los métodos de inicio de sesión están desactivados',
  bothOffHint:
    'Ejecute `strongroom enable-local-login` en el servidor para volver a activar el inicio de sesión con contraseña.',
  sessionEnded: 'La sesión ha caducado. Inicie sesión para continuar.',
  failed: 'No se pudo iniciar sesión',
  failedHint: 'El proveedor de identidad canceló el inicio de sesión.',
  notProvisionedHint: 'Pida a su administrador que le añada.',
  signedIn: 'Ha iniciado sesión',
  signedInHint: 'Vuelva a la pestaña en la que estaba. Puede cerrar esta.',
  openConsole: 'Abrir la consola',
  again: 'Volver al inicio de sesión',
  finishing: 'Iniciando sesión…',
  language: 'Idioma',
  firstStart:
    '¿Es el primer arranque? El servidor mostró cómo iniciar sesión. No muestra una contraseña elegida por usted.',
  setupTitle: 'Configurar Strongroom',
  setupHint: 'Cree la primera cuenta de administrador. Este enlace solo funciona una vez.',
  setUpAlready: 'La configuración inicial ya está hecha',
  setUpAlreadyHint: 'Ya existe una cuenta de administrador.',
  noAdmin: 'Todavía no hay ningún administrador',
  findLink:
    'El servidor mostró un enlace de configuración al arrancar. Búsquelo en su salida o en su registro y use el más reciente:',
  database: 'Base de datos',
  storage: 'Almacenamiento',
  answers: 'Conectado',
  silent: 'No responde',
  asking: 'Comprobando…',
  adminEmail: 'Correo electrónico del administrador',
  name: 'Nombre (opcional)',
  passwordRule: (bytes) =>
    bytes > 72
      ? `Demasiado larga: ${bytes} bytes; el máximo es 72.`
      : bytes > 0 && bytes < 8
        ? 'Demasiado corta. Use al menos 8 caracteres.'
        : 'Al menos 8 caracteres.',
  createAdmin: 'Crear cuenta e iniciar sesión',
  newPassword: 'Nueva contraseña',
  newPasswordAgain: 'Repita la nueva contraseña',
  differ: 'Las contraseñas no coinciden.',
  replaceTitle: 'Elija una contraseña nueva',
  replaceHint: 'Su contraseña la estableció un administrador. Cámbiela para continuar.',
  replace: 'Guardar e iniciar sesión',
  invitationTitle: 'Le damos la bienvenida a Strongroom',
  invitationHint: (name) => `${name}, elija una contraseña para su cuenta.`,
  acceptInvitation: 'Guardar e iniciar sesión',
  invitationOver: 'Esta invitación ya no es válida',
  invitationOverHint:
    'Ha caducado, ya se utilizó o se sustituyó por otra más reciente. Si ya eligió una contraseña, inicie sesión con ella. Si no, pida una invitación nueva.',
  toSignIn: 'Ir al inicio de sesión',
  passkeySignIn: 'Iniciar sesión con una llave de acceso',
  forgot: '¿Ha olvidado la contraseña?',
  forgotTitle: '¿Ha olvidado la contraseña?',
  forgotHint: 'Escriba su correo electrónico. Recibirá un enlace para elegir una contraseña nueva.',
  sendLink: 'Enviar enlace',
  linkSentTitle: 'Revise su correo',
  linkSent: (email) =>
    `Si ${email} pertenece a una cuenta con contraseña, un enlace para elegir una nueva está en camino. Funciona durante una hora.`,
  linkSentHint:
    '¿No ha llegado nada? Mire en la carpeta de correo no deseado o pregunte a un administrador. Si usa el inicio de sesión único, aquí no tiene contraseña.',
  noMail:
    'Este servicio no puede enviar correo. Pregunte a un administrador: puede ponerle una contraseña nueva en Usuarios.',
  noMailAdmin: 'Los administradores ejecutan `strongroom reset-password` con su correo electrónico en el servidor.',
  noPasswords:
    'Aquí nadie inicia sesión con contraseña. Si ha perdido el acceso, pregunte a los responsables de su inicio de sesión único.',
  resetTitle: 'Elija una contraseña nueva',
  resetHint: 'Se cierran sus sesiones en todos los demás sitios. Su segundo paso no cambia.',
  resetOver: 'Este enlace ya no funciona',
  resetOverHint: 'Ha caducado o ya se ha usado, o su contraseña se ha cambiado desde entonces.',
  askAgain: 'Pedir un enlace nuevo',
}

import { catalogue } from '../../i18n.ts'

export const text = catalogue({
  title: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  signIn: 'Sign in',
  continueWith: (name: string) => `Continue with ${name}`,
  provider: 'your identity provider',
  or: 'or',
  bothOff: 'Every way to sign in is switched off',
  bothOffHint: 'On the server, `stowage enable-local-login` switches passwords on again.',
  sessionEnded: 'Your session has ended. Sign in to go on where you were.',
  failed: 'You could not be signed in',
  failedHint: 'The identity provider ended the login.',
  notProvisionedHint: 'An administrator can make you one, or let accounts be made at the first login.',
  again: 'Back to the login',
  finishing: 'Signing you in',
  firstStart: 'First start? The server printed the address and the password of the first administrator.',
})

import { catalogue } from '../../i18n.ts'

export const text = catalogue({
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  signIn: 'Sign in',
  continueWith: (name: string) => `Continue with ${name}`,
  provider: 'single sign-on',
  or: 'or',
  bothOff: 'All sign-in methods are turned off',
  bothOffHint: 'Run `strongroom enable-local-login` on the server to turn password sign-in back on.',
  sessionEnded: 'Your session expired. Sign in to continue.',
  failed: 'Sign-in failed',
  failedHint: 'The identity provider cancelled the sign-in.',
  notProvisionedHint: 'Ask your administrator to add you.',
  again: 'Back to sign-in',
  finishing: 'Signing you in…',
  firstStart: 'First start? The server printed the administrator’s email and password.',
  setupTitle: 'Set up Strongroom',
  setupHint: 'Create the first administrator account. This link works only once.',
  setUpAlready: 'Setup is already complete',
  setUpAlreadyHint: 'An administrator account already exists.',
  noAdmin: 'No administrator yet',
  findLink: 'The server printed a setup link when it started. Check its output or log, and use the latest one:',
  database: 'Database',
  storage: 'Storage',
  answers: 'Connected',
  silent: 'Unreachable',
  asking: 'Checking…',
  adminEmail: 'Administrator email',
  name: 'Name (optional)',
  passwordRule: (bytes: number) =>
    bytes > 72
      ? `Too long: ${bytes} bytes, at most 72.`
      : bytes > 0 && bytes < 8
        ? 'Too short. Use at least 8 characters.'
        : 'At least 8 characters.',
  createAdmin: 'Create account and sign in',
})

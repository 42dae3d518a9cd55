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
  newPassword: 'New password',
  newPasswordAgain: 'Repeat new password',
  differ: 'The passwords don’t match.',
  replaceTitle: 'Choose a new password',
  replaceHint: 'Your password was set by an administrator. Replace it to continue.',
  replace: 'Save and sign in',
  invitationTitle: 'Welcome to Strongroom',
  invitationHint: (name: string) => `${name}, choose a password for your account.`,
  acceptInvitation: 'Save and sign in',
  invitationOver: 'This invitation has ended',
  invitationOverHint:
    'It has expired, was used, or was replaced by a newer one. If you’ve already chosen a password, sign in with it. Otherwise, ask for a new invitation.',
  toSignIn: 'Go to sign-in',
})

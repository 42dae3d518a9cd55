/** Where to go after sign-in: a path of the console and nothing else. */
export function safeNext(next: string | undefined): string {
  if (
    !next?.startsWith('/') ||
    next.startsWith('//') ||
    /^\/(login|setup|invitation|forgot-password|password-reset)/.test(next) ||
    next.startsWith('/auth/')
  )
    return '/'
  return next
}

/** How long a password is, as the server counts it. */
export const bytesOf = (password: string): number => new TextEncoder().encode(password.normalize('NFKC')).length

/** Whether the server would take a password. */
export const fits = (password: string): boolean => bytesOf(password) >= 8 && bytesOf(password) <= 72

export const steps = ['provider', 'register', 'connect', 'users', 'test'] as const
export type Step = (typeof steps)[number]

/** What a process does: answer requests, run background workers, or both. */
export type Role = 'all' | 'web' | 'background'

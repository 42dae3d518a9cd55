/** What a process does: answer requests, work in the background, or both. */
export type Role = 'all' | 'web' | 'background'

import { perSystem } from '../base/per-system.ts'

/** Where this process listens beside its main port, once it does. */
export const listeningOf = perSystem((): { s3Port: number | null } => ({ s3Port: null }))

// Actors without a credential of their own.
import type { Actor, Origin } from '../context.ts'

const noOrigin: Origin = { request_id: null, ip: null, user_agent: null, method: null, route: null }
const nobody = { user_id: null, email: null, display_name: null, session_id: null, token_id: null, groups: [] }
/** Strongroom itself: workers and the first start. */
export const systemActor: Actor = { ...nobody, type: 'system', auth_method: 'system', origin: noOrigin }
/** Whoever changes what is on a storage without asking Strongroom. */
export const engineActor: Actor = { ...nobody, type: 'engine', auth_method: null, origin: noOrigin }
/** Someone with a shell on the machine. */
export const cliActor: Actor = { ...nobody, type: 'cli', auth_method: 'cli', origin: noOrigin }
/** The holder of the setup link, before there is any user. */
export const setupActor = (origin: Origin): Actor => ({ ...nobody, type: 'system', auth_method: 'setup', origin })
/** A caller without a credential. */
export const publicActor = (origin: Origin): Actor => ({ ...nobody, type: 'public', auth_method: null, origin })

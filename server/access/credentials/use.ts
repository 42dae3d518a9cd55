import { perSystem } from '../../base/per-system.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { type Actor, createContext, type System, type Upkeep } from '../../context.ts'
import { systemActor } from '../actors.ts'
import * as store from './store.ts'

const NOTE_EVERY_MS = MINUTE_MS

/** When a credential's use was last recorded, by its id. */
const notedOf = perSystem(() => new Map<string, number>())

/** Records a credential's use, at most once a minute, after the response; an error here never affects the request. */
export function noteUse(system: System, given: store.CredentialTable, { token_id, origin, agent }: Actor): void {
  if (token_id === null) return
  const table = agent ? 'agents' : given
  const now = system.now()
  const noted = notedOf(system.config)
  const last = noted.get(token_id)
  if (last !== undefined && now.getTime() - last < NOTE_EVERY_MS && now.getTime() >= last) return
  if (noted.size >= 10_000) noted.clear()
  noted.set(token_id, now.getTime())
  const before = new Date(now.getTime() - NOTE_EVERY_MS)
  const { upkeep } = createContext(system, systemActor)
  const write = async ({ tx }: Upkeep) => {
    // Another process may have recorded it earlier: the minute counts from then.
    const used = await store.noteUse(tx, table, token_id, { ip: origin.ip, now, before })
    if (used !== null) noted.set(token_id, Date.parse(used))
  }
  system.background(upkeep(write, { relaxed: true }))
}

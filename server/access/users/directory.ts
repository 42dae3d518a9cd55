import { ServiceError } from '../../../contract/errors.ts'
import { isEmail } from '../../../contract/names.ts'
import { newId } from '../../base/id.ts'
import { perSystem } from '../../base/per-system.ts'
import type { Ctx } from '../../context.ts'
import type { DirectoryUser, IdentityDirectory } from '../directory/directory.ts'
import { openDirectory } from '../directory/service.ts'
import { type EffectiveSettings, issuerKey, settingsInForce } from '../settings/effective.ts'
import { insertUser } from './service.ts'
import * as store from './store.ts'

const DEADLINE_MS = 30_000
const AT_ONCE = 5

/** Searches the directory for `q`, marking those who already have an account. */
export async function searchDirectory(ctx: Ctx, q: string, limit: number, cursor: string | undefined) {
  const text = q.trim()
  if ([...text].length < 2 || [...text].length > 100)
    throw new ServiceError('invalid_request', 'query.q must have 2 to 100 characters.', {
      faults: [{ path: 'query.q', message: 'must have 2 to 100 characters' }],
    })
  const { directory, issuer } = await open(ctx)
  const { users, nextCursor } = await directory.search(text, {
    limit,
    cursor,
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  const subjects = users.map(({ externalId }) => externalId)
  const imported = new Set(await store.findBySubjects(ctx.db, issuer, subjects))
  return {
    items: users.map((user) => ({
      external_id: user.externalId,
      email: user.email,
      display_name: user.displayName,
      username: user.username,
      enabled: user.enabled,
      already_imported: imported.has(user.externalId),
    })),
    next_cursor: nextCursor,
  }
}

type Result = 'created' | 'exists' | 'not_found' | 'email_in_use' | 'no_email' | 'disabled'

/** Creates accounts for people in the directory, each looked up by id: nothing else the caller says is trusted. */
export async function importUsers(ctx: Ctx, externalIds: readonly string[]) {
  const { directory, issuer } = await open(ctx)
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const people: (DirectoryUser | null)[] = []
  for (let i = 0; i < externalIds.length; i += AT_ONCE)
    people.push(...(await Promise.all(externalIds.slice(i, i + AT_ONCE).map((id) => directory.get(id, { signal })))))
  const items: { external_id: string; result: Result; user_id: string | null }[] = []
  for (const [i, external_id] of externalIds.entries())
    items.push({ external_id, ...(await importPerson(ctx, issuer, people[i] ?? null)) })
  return { items }
}

async function importPerson(
  ctx: Ctx,
  issuer: string,
  person: DirectoryUser | null,
): Promise<{ result: Result; user_id: string | null }> {
  if (!person) return { result: 'not_found', user_id: null }
  const { externalId, email, displayName } = person
  const known = await store.findByIdentity(ctx.db, issuer, externalId)
  if (known) return { result: 'exists', user_id: known.id }
  if (!person.enabled) return { result: 'disabled', user_id: null }
  if (email === null || !isEmail(email)) return { result: 'no_email', user_id: null }
  const user = { id: newId(), email, display_name: displayName || email, idp_issuer: issuer, idp_subject: externalId }
  const created = await ctx.act(async ({ tx, record, nothing }) => {
    if (!(await insertUser(tx, user, ctx.now()))) return nothing(false)
    record({
      name: 'user_import',
      resource: { type: 'user', id: user.id },
      details: { email, display_name: user.display_name, external_id: externalId },
    })
    return true
  })
  if (created) return { result: 'created', user_id: user.id }
  const other = await store.findByIdentity(ctx.db, issuer, externalId)
  return other ? { result: 'exists', user_id: other.id } : { result: 'email_in_use', user_id: null }
}

/** The open directory, and the settings it was opened with. */
const openedOf = perSystem((): { settings?: EffectiveSettings; directory?: IdentityDirectory | null } => ({}))

/** The directory of the current settings, with the issuer of its users' subjects. */
async function open(ctx: Ctx): Promise<{ directory: IdentityDirectory; issuer: string }> {
  const settings = await settingsInForce(ctx)
  const opened = openedOf(ctx.config)
  if (opened.settings !== settings) {
    opened.directory = openDirectory(settings, ctx.now)
    opened.settings = settings
  }
  const { directory } = opened
  if (!directory || settings.idp.issuer_url === null)
    throw new ServiceError(
      'directory_not_configured',
      'No user directory is configured: see the settings under `directory`.',
    )
  return { directory, issuer: issuerKey(settings.idp.issuer_url) }
}

import { randomBytes } from 'node:crypto'
import { ServiceError } from '../../contract/errors.ts'
import type { User } from '../../contract/users.ts'
import { assertSettable, hashPassword } from '../auth/service.ts'
import type { Ctx } from '../context.ts'
import { decodeCursor, encodeCursor } from '../cursor.ts'
import type { Db, Row, Tx } from '../db/schema.ts'
import { addMember, ensureAdministrators } from '../groups/service.ts'
import { findGroupsOfUsers, type MemberGroup } from '../groups/store.ts'
import { newId } from '../id.ts'
import * as store from './store.ts'

/** What makes two addresses the same account (P7). */
export const emailKey = (email: string): string => email.trim().normalize('NFKC').toLowerCase()

export const findLoginByEmail = store.findByEmailKey

/** Step of a login: notes the time and, when it was renewed, the password's hash (P1). */
export const recordLogin = (tx: Tx, userId: string, now: Date, renewedHash: string | null) =>
  store.updateLogin(tx, userId, {
    last_login_at: now.toISOString(),
    ...(renewedHash === null ? {} : { password_hash: renewedHash }),
  })

export interface CreateUser {
  email: string
  display_name: string
  password?: string | undefined
  group_ids?: readonly string[] | undefined
}

/** Creates a user, in the named groups. `already_exists` when the address is taken, 422 on unknown groups. */
export async function createUser(ctx: Ctx, input: CreateUser): Promise<User> {
  if (input.password !== undefined) assertSettable(input.password, 'body.password')
  const hash = input.password === undefined ? null : await hashPassword(input.password, ctx.config.bcryptCost)
  return ctx.act(async (tx, record) => {
    const row = await insertUser(tx, input, hash, ctx.now())
    if (!row) throw new ServiceError('already_exists', `A user with the address "${input.email}" already exists.`)
    const group_ids = [...(input.group_ids ?? [])]
    for (const [i, group] of group_ids.entries()) {
      if (await addMember(tx, group, row.id, ctx.now())) continue
      const fault = { path: `body.group_ids.${i}`, message: 'names no group' }
      throw new ServiceError('invalid_request', `${fault.path} ${fault.message}`, { faults: [fault] })
    }
    const { email, display_name } = row
    record({
      name: 'user_create',
      resource: { type: 'user', id: row.id },
      details: { email, display_name, group_ids },
    })
    return toUser(row, await findGroupsOfUsers(tx, [row.id]))
  })
}

const insertUser = (tx: Tx, { email, display_name }: CreateUser, password_hash: string | null, now: Date) =>
  store.insertUser(tx, {
    id: newId(),
    email: email.trim(),
    email_key: emailKey(email),
    display_name: display_name.trim(),
    password_hash,
    idp_issuer: null,
    idp_subject: null,
    token_version: 1,
    disabled_at: null,
    created_at: now.toISOString(),
    last_login_at: null,
  })

const toUser = (row: Row<'users'>, groups: readonly MemberGroup[]): User => {
  const own = groups.filter((group) => group.user_id === row.id)
  return {
    id: row.id,
    email: row.email,
    display_name: row.display_name,
    is_active: row.disabled_at === null,
    is_admin: own.some((group) => (JSON.parse(group.global) as string[]).includes('admin')),
    idp_subject: row.idp_subject,
    groups: own.map(({ id, name }) => ({ id, name })),
    created_at: row.created_at,
    last_login_at: row.last_login_at,
  }
}

/** Users in the order of their addresses. */
export async function listUsers(db: Db, limit: number, cursor: string | undefined) {
  const [after] = decodeCursor(cursor, 1) ?? ['']
  const rows = await store.listUsers(db, after ?? '', limit + 1)
  const page = rows.slice(0, limit)
  const groups = await findGroupsOfUsers(
    db,
    page.map(({ id }) => id),
  )
  const last = page.at(-1)
  return {
    items: page.map((row) => toUser(row, groups)),
    next_cursor: rows.length > limit && last ? encodeCursor([last.email_key]) : null,
  }
}

/**
 * The first administrator, where there is no user yet (R8). Gives the password back when it was generated, else null;
 * undefined when there was nothing to do. Safe when several replicas start at once.
 */
export async function createFirstAdmin(ctx: Ctx): Promise<{ email: string; password: string | null } | undefined> {
  if (await store.hasUsers(ctx.db)) return undefined
  const { bootstrapAdminEmail: email, bootstrapAdminPassword, bcryptCost } = ctx.config
  const password = bootstrapAdminPassword ?? randomBytes(15).toString('base64url')
  const hash = await hashPassword(password, bcryptCost)
  const first = await ctx.upkeep((tx) => store.hasUsers(tx)).then((has) => !has)
  if (!first) return undefined
  const made = await ctx
    .act(async (tx, record) => {
      const group = await ensureAdministrators(tx, ctx.now(), record)
      const user = await insertUser(tx, { email, display_name: 'Administrator' }, hash, ctx.now())
      if (!user) throw new FirstAdminExists()
      await addMember(tx, group.id, user.id, ctx.now())
      record({
        name: 'user_create',
        resource: { type: 'user', id: user.id },
        details: { email, display_name: user.display_name, group_ids: [group.id] },
      })
      return true
    })
    .catch((error: unknown) => {
      if (error instanceof FirstAdminExists) return false
      throw error
    })
  return made ? { email, password: bootstrapAdminPassword === null ? password : null } : undefined
}
class FirstAdminExists extends Error {}

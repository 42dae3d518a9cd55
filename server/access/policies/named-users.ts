import { canonicalId } from '../../base/canonical-id.ts'
import type { Db } from '../../db/schema.ts'
import { malformed } from '../../iam/malformed.ts'
import { addressOf } from '../../iam/names.ts'
import * as store from './store.ts'

const CANONICAL_ID = /^[0-9a-f]{64}$/

/**
 * The ids of the users that policies name by ARN (`arn:aws:iam::…:user/NAME`), by name, address, id or canonical id: as with AWS, who gets a
 * name later does not get what was said of it. Throws MalformedPolicy for a user that there is none of.
 */
export async function findUserIds(db: Db, named: ReadonlyMap<string, string>): Promise<{ [arn: string]: string }> {
  if (named.size === 0) return {}
  const found = await store.findNamed(db, [...new Set([...named.values()].flatMap((name) => [name, addressOf(name)]))])
  const ids = new Map(found.flatMap(({ id, email }) => [[id, id] as const, [email.toLowerCase(), id] as const]))
  const isCanonical = (name: string) => CANONICAL_ID.test(name) && !ids.has(name)
  if ([...named.values()].some(isCanonical)) for (const id of await store.listUserIds(db)) ids.set(canonicalId(id), id)
  return Object.fromEntries(
    [...named].map(([arn, name]) => {
      const id = ids.get(name.toLowerCase()) ?? ids.get(addressOf(name).toLowerCase())
      if (id === undefined) throw Object.assign(malformed('Invalid principal in policy'), { value: arn })
      return [arn, id]
    }),
  )
}

import type { Migration } from 'kysely'
import { foundation } from './0001-foundation.ts'
import { identity } from './0002-identity.ts'
import { objects } from './0003-objects.ts'
import { shares } from './0004-shares.ts'
import { webhooks } from './0005-webhooks.ts'
import { policies } from './0006-policies.ts'
import { audit } from './0007-audit.ts'
import { usage } from './0008-usage.ts'
import { undo } from './0009-undo.ts'
import { moves } from './0010-moves.ts'
import { instance } from './0011-instance.ts'
import { incoming } from './0012-incoming.ts'
import { servings } from './0013-servings.ts'
import { logins } from './0014-logins.ts'
import { jobVersions } from './0015-job-versions.ts'
import { buriedBuckets } from './0016-buried-buckets.ts'
import type { ColumnTypes } from './types.ts'

/** Every migration in the order of its name; one that has landed is never edited. */
export const migrations = (types: ColumnTypes): Record<string, Migration> => ({
  '0001-foundation': foundation(types),
  '0002-identity': identity(types),
  '0003-objects': objects(types),
  '0004-shares': shares(types),
  '0005-webhooks': webhooks(types),
  '0006-policies': policies(types),
  '0007-audit': audit(types),
  '0008-usage': usage(types),
  '0009-undo': undo(types),
  '0010-moves': moves(types),
  '0011-instance': instance(types),
  '0012-incoming': incoming(types),
  '0013-servings': servings(types),
  '0014-logins': logins(types),
  '0015-job-versions': jobVersions(types),
  '0016-buried-buckets': buriedBuckets(types),
})

/** Their names, in order. */
export const migrationNames: readonly string[] = Object.keys(migrations({} as ColumnTypes))

import type { Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely'
import type { AgentTables } from './tables/agents.ts'
import type { AuditTables } from './tables/audit.ts'
import type { HistoryTables } from './tables/history.ts'
import type { IdentityTables } from './tables/identity.ts'
import type { IdentityPolicyTables } from './tables/identity-policies.ts'
import type { InstanceTables } from './tables/instance.ts'
import type { InventoryTables } from './tables/inventories.ts'
import type { JobTables } from './tables/jobs.ts'
import type { MailTables } from './tables/mail.ts'
import type { MirrorTables } from './tables/mirrors.ts'
import type { OauthTables } from './tables/oauth.ts'
import type { PolicyTables } from './tables/policies.ts'
import type { ReplicationTables } from './tables/replication.ts'
import type { RoleTables } from './tables/roles.ts'
import type { SharingTables } from './tables/sharing.ts'
import type { StorageTables } from './tables/storage.ts'
import type { AttachedTables } from './tables/storages.ts'
import type { UsageTables } from './tables/usage.ts'
import type { WebhookTables } from './tables/webhooks.ts'

/** Times are ISO 8601 UTC texts with milliseconds in code, whatever the engine stores. JSON columns are text. */
export interface Schema
  extends IdentityTables,
    IdentityPolicyTables,
    InstanceTables,
    StorageTables,
    JobTables,
    HistoryTables,
    AttachedTables,
    SharingTables,
    PolicyTables,
    AuditTables,
    UsageTables,
    WebhookTables,
    MailTables,
    MirrorTables,
    RoleTables,
    ReplicationTables,
    InventoryTables,
    AgentTables,
    OauthTables {}

export type Row<T extends keyof Schema> = Selectable<Schema[T]>
/** An object's row as everything but its history sees it: since when it has been so, and by whom, is left out. */
export type ObjectRow = Omit<Row<'objects'>, 'moment' | 'author'>
export type NewRow<T extends keyof Schema> = Insertable<Schema[T]>
export type RowChange<T extends keyof Schema> = Updateable<Schema[T]>

/** Reads. It has no way to insert, update or delete; a `Tx` can be passed wherever a `Db` is asked for. */
export type Db = Pick<Kysely<Schema>, 'selectFrom' | 'selectNoFrom' | 'withRecursive' | 'getExecutor'>
/** An open transaction: the only thing a store's writes accept. */
export type Tx = Transaction<Schema>

import Type from 'typebox'
import { route } from './route.ts'
import { heldReasons } from './scans.ts'
import { BucketName, Id, Nullable, Timestamp } from './shapes.ts'
import { StorageHealth, StorageName } from './storages.ts'
import { Disk } from './system.ts'

const Expiring = Type.Object({ id: Id, name: Type.String(), expires_at: Timestamp })

const HeldScan = Type.Object({ id: Id, bucket: BucketName, held_reason: Nullable(Type.Enum([...heldReasons])) })

const TroubledWebhook = Type.Object({
  id: Id,
  name: Type.String(),
  url: Type.String(),
  disabled_reason: Nullable(Type.String(), { description: 'Why the service disabled it; null unless it did.' }),
  failing_since: Nullable(Timestamp, { description: 'Since when all attempts have failed.' }),
  failed: Type.Integer({
    description: 'Deliveries that failed in the last 24 hours, among the latest 5,000 that did of all endpoints.',
  }),
})

const FirstSteps = Type.Object(
  {
    users: Type.Boolean({ description: 'Whether there is another user than the first one.' }),
    sso: Type.Boolean({ description: 'Whether users can sign in through an identity provider.' }),
    access_key: Type.Boolean({ description: 'Whether the caller has made an access key.' }),
    webhook: Type.Boolean({ description: 'Whether there is a webhook endpoint.' }),
  },
  { description: 'What administrators of a new service do first, and whether it is done.' },
)

/** What somebody should look at. No list is longer than a hundred entries. */
export const Attention = Type.Object({
  tokens: Type.Array(Expiring, { description: 'The caller’s tokens that expire within seven days.' }),
  access_keys: Type.Array(Expiring, { description: 'The caller’s access keys that do, without inactive ones.' }),
  held_scans: Type.Array(HeldScan, {
    description: 'Scans of attached buckets that wait for confirmation, where the caller has `manage`; 20 at most.',
  }),
  administration: Nullable(
    Type.Object({
      disks: Type.Array(Disk, { description: 'Those that are nearly full or short of space.' }),
      storages: Type.Array(Type.Object({ name: StorageName, health: StorageHealth }), {
        description: 'Those in use that could not be reached when the process that answers last looked.',
      }),
      webhooks: Type.Array(TroubledWebhook, { description: 'Endpoints that fail, did, or were disabled for it.' }),
      first_steps: FirstSteps,
    }),
    { description: 'Null for those who are no administrators.' },
  ),
})
export type Attention = Type.Static<typeof Attention>

export const operations = {
  getAttention: route({
    method: 'GET',
    url: '/attention',
    tag: 'attention',
    summary: 'Get what you should look at',
    description:
      'What the console’s start page shows in one request. Everything in it is also in the list of its kind, and nothing is in it that you could not see there: credentials are your own, scans those of attached buckets that you manage, and the rest is for administrators. Quotas and findings are in the list of buckets.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    reply: Attention,
  }),
}

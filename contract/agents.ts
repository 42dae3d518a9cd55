import Type from 'typebox'
import { SCOPE_BUCKET } from './names.ts'
import { route } from './route.ts'
import { BucketName, Cursor, Exactly, Id, Limit, Nullable, Page, Prefix, Timestamp } from './shapes.ts'
import { CredentialName } from './tokens.ts'

/** The form that secret scanners look for. */
export const AGENT_TOKEN_PATTERN = 'svc_agent_[0-9A-Za-z]{36}'

/** What an agent can be allowed at all: nothing that deletes for good, or changes how a bucket works. */
export const agentActions = ['list', 'read', 'write', 'delete', 'share'] as const

const scopeEntry = {
  bucket: Type.String({
    pattern: SCOPE_BUCKET,
    description: 'A bucket’s name, or its start followed by `*`.',
    examples: ['photos', 'backup-*'],
  }),
  actions: Type.Array(Type.Enum([...agentActions]), {
    minItems: 1,
    maxItems: agentActions.length,
    uniqueItems: true,
  }),
}
const NewAgentScope = Type.Array(Exactly({ ...scopeEntry, prefix: Type.Optional(Prefix) }), {
  minItems: 1,
  maxItems: 20,
  description: 'What the agent may do, and where. It never may more than whoever made it.',
})
export type NewAgentScope = Type.Static<typeof NewAgentScope>

/** What is counted of what an agent does. */
export const agentCounts = ['change_objects', 'change_bytes', 'delete_objects', 'delete_bytes', 'read_bytes'] as const
export type AgentCount = (typeof agentCounts)[number]

const most = (description: string, byDefault: number | null = null) =>
  Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    description: `${description}; null for no limit. ${byDefault === null ? 'No limit' : byDefault} by default.`,
  })
const limits = {
  change_objects_per_hour: most(
    'Objects written, copied, moved, restored or given other metadata, and links created, in an hour',
    1000,
  ),
  change_bytes_per_hour: most('Bytes of objects written, copied, moved or restored in an hour'),
  delete_objects_per_hour: most('Objects deleted in an hour', 100),
  delete_bytes_per_hour: most('Bytes of objects deleted in an hour'),
  read_bytes_per_hour: most('Bytes of contents read in an hour'),
  change_objects: most('Objects written, copied, moved, restored or given other metadata, and links created, in all'),
  change_bytes: most('Bytes of objects written, copied, moved or restored in all'),
  delete_objects: most('Objects deleted in all'),
  delete_bytes: most('Bytes of objects deleted in all'),
  read_bytes: most('Bytes of contents read in all'),
}
export type BudgetName = keyof typeof limits
/** What limits an agent has: of each count in an hour, and in all. */
export const AgentBudget = Type.Object(limits, {
  description: 'An hour starts with the first thing that is counted in it.',
})
export type AgentBudget = Type.Static<typeof AgentBudget>
const NewBudget = Exactly(
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, Type.Optional(limit)])) as {
    [N in BudgetName]: Type.TOptional<(typeof limits)[N]>
  },
)
/** What an agent gets of which nobody says anything. */
export const defaultBudget: AgentBudget = {
  change_objects_per_hour: 1000,
  change_bytes_per_hour: null,
  delete_objects_per_hour: 100,
  delete_bytes_per_hour: null,
  read_bytes_per_hour: null,
  change_objects: null,
  change_bytes: null,
  delete_objects: null,
  delete_bytes: null,
  read_bytes: null,
}

export const approvableActions = ['write', 'delete', 'share'] as const
export type ApprovableAction = (typeof approvableActions)[number]
const approval = {
  actions: Type.Array(Type.Enum([...approvableActions]), {
    maxItems: approvableActions.length,
    uniqueItems: true,
    description: '`share` is also asked before a download can be given to others by a signed URL.',
  }),
  above_objects: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    description: 'Requests that change or delete more objects than this, and every job; null for none.',
  }),
  above_bytes: Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    description: 'The same for their bytes.',
  }),
}
/** What a user has to approve first. */
export const AgentApproval = Type.Object(approval)
export type AgentApproval = Type.Static<typeof AgentApproval>
const NewApproval = Exactly(
  {
    actions: Type.Optional(approval.actions),
    above_objects: Type.Optional(approval.above_objects),
    above_bytes: Type.Optional(approval.above_bytes),
  },
  { description: 'What a user has to approve first; by default, everything that shares.' },
)
export const defaultApproval: AgentApproval = { actions: ['share'], above_objects: null, above_bytes: null }

/** What was counted. */
export const AgentUse = Type.Object({
  change_objects: Type.Integer(),
  change_bytes: Type.Integer(),
  delete_objects: Type.Integer(),
  delete_bytes: Type.Integer(),
  read_bytes: Type.Integer(),
})
export type AgentUse = Type.Static<typeof AgentUse>

/** The client of OAuth that an agent was made for. */
const AgentClient = Type.Object({
  name: Type.String({ description: 'As the client calls itself.' }),
  redirect_host: Type.String({
    description: 'Where it got its access: the host of its redirect URI, or the scheme of an application.',
  }),
  on_this_machine: Type.Boolean({ description: 'Whether that is the machine of the browser.' }),
})

const common = {
  id: Id,
  name: Type.String(),
  scope: Type.Array(Type.Object({ ...scopeEntry, prefix: Prefix })),
  budget: AgentBudget,
  approval: AgentApproval,
  fork: Nullable(BucketName, { description: 'The fork that it works on, if it was made with one.' }),
  access_key_id: Type.String({ description: 'Of its key pair for S3.' }),
  token_prefix: Type.String({ description: 'The first 14 characters of its token, for recognising it.' }),
  user_id: Id,
  email: Type.String({ description: 'Who made it.' }),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
}
export const Agent = Type.Object({
  ...common,
  status: Type.Enum(['active', 'expired', 'revoked']),
  revoked_at: Nullable(Timestamp),
  used_this_hour: AgentUse,
  renews_at: Nullable(Timestamp, { description: 'When the hour ends; null if nothing was counted in it yet.' }),
  used_in_all: AgentUse,
  waiting: Type.Integer({ description: 'How many of its requests wait for approval.' }),
  client: Nullable(AgentClient, {
    description: 'The client that it was made for when that signed in; null if a user made it.',
  }),
})
export type Agent = Type.Static<typeof Agent>

export const NewAgent = Type.Object({
  ...common,
  token: Type.String({ description: 'The credential. Returned only once.', pattern: `^${AGENT_TOKEN_PATTERN}$` }),
  secret_access_key: Type.String({ description: 'The secret of its key pair for S3. Returned only once.' }),
})
export type NewAgent = Type.Static<typeof NewAgent>

export const Approval = Type.Object({
  id: Id,
  agent_id: Id,
  agent: Type.String({ description: 'The name of the agent.' }),
  status: Type.Enum(['waiting', 'approved', 'rejected', 'done', 'expired'], {
    description: '`approved`: the agent may make the request once. `done`: it has.',
  }),
  reason: Type.Enum(['write', 'delete', 'share', 'above_objects', 'above_bytes'], {
    description: 'Which rule of the agent asks for it.',
  }),
  objects: Type.Integer({
    description: 'How many objects it changes or deletes; 0 for a job, which has not listed any.',
  }),
  bytes: Type.Integer(),
  actions: Type.Array(
    Type.Object({
      action: Type.String({ description: 'As in the audit log, or `job`.' }),
      bucket: Nullable(Type.String()),
      key: Nullable(Type.String()),
      size: Nullable(Type.Integer()),
      details: Type.Record(Type.String(), Type.Unknown()),
    }),
    { description: 'What would happen: the first 100.' },
  ),
  requested_at: Timestamp,
  expires_at: Timestamp,
  decided_at: Nullable(Timestamp),
  decided_by: Nullable(Id),
  done_at: Nullable(Timestamp),
})
export type Approval = Type.Static<typeof Approval>
export type ApprovalReason = Approval['reason']

/** What a new agent is. */
export const newAgentFields = Exactly({
  name: CredentialName,
  scope: NewAgentScope,
  budget: Type.Optional(NewBudget),
  approval: Type.Optional(NewApproval),
  expires_at: Type.Optional(Nullable(Timestamp)),
  fork: Type.Optional(
    Exactly(
      { bucket: BucketName },
      { description: 'Each entry of the scope has to name this bucket; it is about the fork then.' },
    ),
  ),
})

const listQuery = { limit: Type.Optional(Limit), cursor: Type.Optional(Cursor) }
const byId = Type.Object({ id: Id })

export const operations = {
  createAgent: route({
    method: 'POST',
    url: '/agents',
    tag: 'agents',
    summary: 'Create an agent',
    description:
      'A credential for a program that decides by itself what it does. It acts as you within its scope, by the API with its token and by S3 with its key pair, until it expires. What it changes, deletes and reads counts against its budget, and what its `approval` names waits until a user has approved it. It deletes nothing permanently: what it deletes or overwrites goes to the trash, or becomes a version. With `fork`, a fork of a bucket is made, which is the only bucket that it can reach; you need what creating a fork needs. At most 50 valid agents per user.',
    access: 'signed_in',
    ofAccount: true,
    status: 201,
    body: newAgentFields,
    reply: NewAgent,
    errors: ['invalid_request', 'limit_reached', 'not_found', 'read_only'],
    records: ['agent_create', 'create_bucket'],
  }),

  listAgents: route({
    method: 'GET',
    url: '/agents',
    tag: 'agents',
    summary: 'List agents, latest first',
    description: 'Yours, or as an administrator everyone’s.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    query: Exactly(listQuery),
    reply: Page(Agent),
  }),

  getOwnAgent: route({
    method: 'GET',
    url: '/agent',
    tag: 'agents',
    summary: 'Get the agent that asks',
    description: 'For agents: what they may do, and what is left of their budget.',
    access: 'signed_in',
    status: 200,
    reply: Agent,
    errors: ['not_found'],
  }),

  getAgent: route({
    method: 'GET',
    url: '/agents/{id}',
    tag: 'agents',
    summary: 'Get an agent',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    params: byId,
    reply: Agent,
    errors: ['not_found'],
  }),

  updateAgent: route({
    method: 'PATCH',
    url: '/agents/{id}',
    tag: 'agents',
    summary: 'Change an agent',
    description:
      'Counts from the next request on. What is not named of `budget` and `approval` stays. The scope of one that works on a fork cannot be changed; its fork ends when it does.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    params: byId,
    body: Exactly(
      {
        name: Type.Optional(CredentialName),
        scope: Type.Optional(NewAgentScope),
        budget: Type.Optional(NewBudget),
        approval: Type.Optional(NewApproval),
        expires_at: Type.Optional(Nullable(Timestamp)),
      },
      { minProperties: 1 },
    ),
    reply: Agent,
    errors: ['invalid_request', 'not_found', 'conflict'],
    records: ['agent_update', 'update_bucket'],
  }),

  revokeAgent: route({
    method: 'DELETE',
    url: '/agents/{id}',
    tag: 'agents',
    summary: 'Revoke an agent',
    description:
      'Takes effect on the next request; its jobs stop at their next step, and its links and signed URLs with it.',
    access: 'signed_in',
    ofAccount: true,
    status: 204,
    params: byId,
    errors: ['not_found'],
    records: ['agent_revoke'],
  }),

  listApprovals: route({
    method: 'GET',
    url: '/approvals',
    tag: 'agents',
    summary: 'List the requests of agents that need approval, latest first',
    description: 'Those of your agents, as an administrator of everyone’s, and for an agent its own.',
    access: 'signed_in',
    status: 200,
    query: Exactly({
      ...listQuery,
      agent_id: Type.Optional(Id),
      status: Type.Optional(Type.Enum(['waiting', 'approved', 'rejected', 'done', 'expired'])),
    }),
    reply: Page(Approval),
  }),

  getApproval: route({
    method: 'GET',
    url: '/approvals/{id}',
    tag: 'agents',
    summary: 'Get a request of an agent that needs approval',
    access: 'signed_in',
    status: 200,
    params: byId,
    reply: Approval,
    errors: ['not_found'],
  }),

  approve: route({
    method: 'POST',
    url: '/approvals/{id}/approve',
    tag: 'agents',
    summary: 'Approve a request of an agent',
    description:
      'By whoever made the agent, or an administrator. The agent may then make the same request once, within a day, if none of the objects that it is about has changed since it asked.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    params: byId,
    reply: Approval,
    errors: ['not_found', 'conflict'],
    records: ['approval_approve'],
  }),

  reject: route({
    method: 'POST',
    url: '/approvals/{id}/reject',
    tag: 'agents',
    summary: 'Reject a request of an agent',
    description: 'The same request is refused for a day.',
    access: 'signed_in',
    ofAccount: true,
    status: 200,
    params: byId,
    reply: Approval,
    errors: ['not_found', 'conflict'],
    records: ['approval_reject'],
  }),
}

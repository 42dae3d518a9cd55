// How refusals are told to models: what went wrong, and what to do next.
import type { ErrorCode, ServiceError } from '../../../contract/errors.ts'

const NEXT: { [code in ErrorCode]?: string } = {
  approval_required:
    'Tell the user what waits for approval. Once it is approved, make exactly the same call again. Do not try another way.',
  budget_exceeded: 'Stop, and tell the user. Call budget to see what is left and when it renews.',
  forbidden: 'Do not try another way. Call explain_permission to see why, and tell the user what you would need.',
  not_found: 'Check the name with browse or search.',
  invalid_request: 'Correct the arguments and call again.',
  invalid_query: 'Correct the query and call again.',
  precondition_failed:
    'The key already exists, or the object has changed. Call stat; pass overwrite or another if_etag only if the user wants that. Copy and move can keep both (keep_both).',
  already_exists: 'Choose another key.',
  changed: 'Make a new plan.',
  limit_reached: 'Ask for less at a time.',
  too_large: 'Use upload_link, or read a part.',
  quota_exceeded: 'Tell the user that the quota of the bucket is used up.',
  read_only: 'The bucket cannot be changed. Tell the user.',
  busy: 'Wait a moment and call again.',
  rate_limited: 'Wait a moment and call again.',
  unauthenticated: 'Your credential has ended. Stop, and tell the user.',
}

/** The result of a tool that was refused. */
export function refusedResult({ code, message, faults, extensions }: ServiceError) {
  const next = NEXT[code]
  const error = {
    code,
    detail: message.replaceAll(/\b(?:body|query)\./g, ''),
    ...(faults.length > 0 ? { faults: faults.slice(0, 20) } : {}),
    ...extensions,
    ...(next === undefined ? {} : { what_next: next }),
  }
  return { content: [{ type: 'text' as const, text: JSON.stringify({ error }) }], isError: true }
}

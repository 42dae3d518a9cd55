import type { OtherAccess, UserAccess } from '../client/index.ts'
import { bucketName, isRemote, printable, remotePlace } from './places.ts'
import { print, type Run } from './run.ts'

/** `access`: who has access to a bucket, a folder or an object, and why. */
export async function access({ client, json }: Run, target: string): Promise<void> {
  const { bucket, key } = isRemote(target) ? remotePlace(target) : { bucket: bucketName(target), key: '' }
  const query = key === '' ? {} : key.endsWith('/') ? { prefix: key } : { key }
  const asked = { params: { bucket }, query }
  const show = (who: string, row: UserAccess | OtherAccess) =>
    print(json ? `${JSON.stringify(row)}\n` : `${[printable(who), ...linesOf(row)].join('\n')}\n`)
  for await (const user of client.all.listBucketAccess(asked)) await show(user.email, user)
  for await (const other of client.all.listOtherBucketAccess(asked)) await show(nameOf(other), other)
}

const OTHERS: { readonly [kind in OtherAccess['kind']]: (name: string) => string } = {
  anyone: () => 'anyone, without a credential',
  signed_in: () => 'everyone with a credential',
  provider: (name) => `sessions from ${name}`,
  session: (name) => `session ${name}`,
  role: (name) => `role ${name}`,
}
const nameOf = ({ kind, name }: OtherAccess): string => OTHERS[kind](name)

type Rights = Pick<OtherAccess, 'decisions' | 'reasons'>
const EFFECTS = { allowed: '', in_part: 'in part: ', conditional: 'under conditions: ', denied: 'denied: ' } as const

/** What somebody may do, then why. */
function linesOf({ decisions, reasons }: Rights): string[] {
  const may = Object.entries(EFFECTS).flatMap(([effect, called]) => {
    const found = decisions.filter((one) => one.effect === effect)
    const names = [...new Set(found.map(({ permission, action }) => BESIDES[action ?? ''] ?? permission))]
    return names.length > 0 ? [`  ${called}${names.join(', ')}`] : []
  })
  return [...may, ...reasons.map((one) => `    ${printable(reasonText(one))}`)]
}

/** What is decided about besides what each permission mostly is. */
const BESIDES: { readonly [action: string]: string } = {
  's3:GetObjectVersion': 'read versions',
  's3:DeleteObjectVersion': 'delete versions',
  's3:PutBucketPolicy': 'change the policy',
}

function reasonText({ kind, via, statement }: UserAccess['reasons'][number]): string {
  if (statement) {
    const { policy, sid, index, sentence } = statement
    const of = policy ? `policy ${policy.name} of ${policy.of} ${policy.owner}` : 'bucket policy'
    return `${of}, statement ${sid || index + 1}: ${sentence.text}`
  }
  switch (kind) {
    case 'administrator':
      return `group ${via?.group}: administrators`
    case 'grant':
      return `group ${via?.group}: ${via?.grant?.actions.join(', ')} on ${via?.grant?.bucket_pattern}/${via?.grant?.prefix}`
    case 'acl':
      return 'ACL of the bucket'
    case 'object_acls':
      return 'ACLs of objects'
    default:
      return 'grants to everyone'
  }
}

/**
 * What users of AWS can have and nobody here has: consoles of their own, SSH keys, certificates, tags. Terraform asks for each of
 * them before it deletes a user.
 */
import { userNameOf } from '../../../../iam/names.ts'
import { type Element, element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import { QueryError } from '../query-error.ts'
import { PAGED } from './pages.ts'
import { policyIn, userIn } from './subjects.ts'

/** An action that lists what there is none of. */
const none = (name: string, list: string, accepts: readonly string[], find: (call: QueryCall) => Promise<unknown>) => ({
  name,
  api: IAM,
  accepts: [...accepts, ...PAGED],
  async run(call: QueryCall): Promise<Element[]> {
    await find(call)
    return [element(list), element('IsTruncated', false)]
  },
})

async function getLoginProfile(call: QueryCall): Promise<never> {
  const { email } = await userIn(call)
  throw new QueryError('NoSuchEntity', `Login Profile for User ${userNameOf(email)} cannot be found.`)
}

const USER = ['UserName'] as const
export const neverActions: readonly QueryAction[] = [
  { name: 'GetLoginProfile', api: IAM, accepts: USER, run: getLoginProfile },
  none('ListSSHPublicKeys', 'SSHPublicKeys', USER, userIn),
  none('ListMFADevices', 'MFADevices', USER, userIn),
  none('ListSigningCertificates', 'Certificates', USER, userIn),
  none('ListServiceSpecificCredentials', 'ServiceSpecificCredentials', ['UserName', 'ServiceName'], userIn),
  none('ListUserTags', 'Tags', USER, userIn),
  none('ListPolicyTags', 'Tags', ['PolicyArn'], policyIn),
]

import { ServiceError } from '../../../contract/errors.ts'
import type { Actor } from '../../context.ts'
import { type IamResource, permitsIam } from '../../iam/decide-iam.ts'

/** Throws forbidden unless the actor may ask for an action of IAM (`iam:GetUser`) on something. */
export function allowIam(actor: Actor, action: string, resource: IamResource): void {
  if (permitsIam(actor, action, resource)) return
  const who = actor.policies?.principal.arn ?? actor.email ?? 'The caller'
  const what = resource.calledAs ?? resource.arns[0]
  throw new ServiceError('forbidden', `${who} is not authorized to perform: ${action} on resource: ${what}`)
}

import { aclPermissions } from '../../../../../contract/public-access.ts'
import { trimBlanks } from '../../../../base/blanks.ts'
import { canonicalId } from '../../../../base/canonical-id.ts'
import { hasBody } from '../../../../http/body.ts'
import {
  type Acl,
  type AclGrant,
  type AclReader,
  cannedAcls,
  isGroup,
} from '../../../../storage/buckets/documents/acl.ts'
import { invalidArgument, S3Error } from '../../errors.ts'
import { type Exchange, header, headersWith } from '../../requests/exchange.ts'
import { child, childText, type DocumentShape, many, readDocument, type XmlNode } from '../../requests/read-xml.ts'

const MOST_BYTES = 65_536
/** Groups that can be granted something, by their URIs. */
export const GROUPS: { readonly [uri: string]: AclReader } = {
  'http://acs.amazonaws.com/groups/global/AllUsers': 'everyone',
  'http://acs.amazonaws.com/groups/global/AuthenticatedUsers': 'authenticated',
}

/** Whose what an ACL is about is, and whose its bucket. */
export interface Owned {
  owner: string | null
  bucketOwner: string | null
}

/** As many as S3 allows. */
const MOST_GRANTS = 100
export const ACL: DocumentShape = {
  root: 'AccessControlPolicy',
  most: MOST_BYTES,
  elements: {
    Owner: { ID: 'text', DisplayName: 'text' },
    AccessControlList: {
      Grant: many(MOST_GRANTS, {
        Grantee: { ID: 'text', DisplayName: 'text', EmailAddress: 'text', URI: 'text', Type: 'text' },
        Permission: 'text',
      }),
    },
  },
}
const tooManyGrants = () => new S3Error('InvalidRequest', `An ACL can have at most ${MOST_GRANTS} grants`)
const unsupported = (what: string) =>
  new S3Error('NotImplemented', `This ACL cannot be kept: ${what} is not supported.`)

/** The refusal of a document (https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html). */
const malformedAcl = () =>
  new S3Error(
    'MalformedACLError',
    'The XML you provided was not well-formed or did not validate against our published schema',
  )

/** The only group of S3 that has no meaning here: every other name is a mistake, as in S3. */
const LOG_DELIVERY = 'http://acs.amazonaws.com/groups/s3/LogDelivery'

/** To whom a document or a header grants something. Throws InvalidArgument or NotImplemented. */
function granteeOf({ id, uri }: { id?: string | undefined; uri?: string | undefined }, owned: Owned): AclGrant['to'] {
  const group = uri !== undefined && Object.hasOwn(GROUPS, uri) ? GROUPS[uri] : undefined
  if (group) return group
  if (uri === LOG_DELIVERY) throw unsupported(`a grant to ${uri}`)
  if (uri !== undefined) throw invalidArgument('Group/URI', uri, 'Invalid group uri')
  if (id === canonicalId(owned.owner)) return 'owner'
  if (id === canonicalId(owned.bucketOwner)) return 'bucket_owner'
  if (id === undefined || !/^[0-9a-f]{64}$/.test(id)) throw invalidArgument('CanonicalUser/ID', id ?? '', 'Invalid id')
  throw unsupported('a grant to another user')
}

/** Throws NotImplemented for a grant to a group that would have no effect. */
function assertKept({ to, permission }: AclGrant): AclGrant {
  if (isGroup(to) && permission !== 'READ' && permission !== 'WRITE') throw unsupported(`${permission} for a group`)
  return { to, permission }
}

/** Of one grantee in a header, as `id=…` or `uri="…"`. */
function namedIn(grantee: string): { kind: string; text: string } {
  const at = grantee.indexOf('=')
  const text = trimBlanks(grantee.slice(at + 1))
  return {
    kind: at < 0 ? '' : trimBlanks(grantee.slice(0, at)),
    text: /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text,
  }
}

/** The ACL that headers ask for; undefined without any. Throws InvalidRequest, InvalidArgument or NotImplemented. */
export function aclInHeaders(exchange: Exchange, owned: Owned): Acl | undefined {
  const canned = header(exchange, 'x-amz-acl')
  const grants = headersWith(exchange, 'x-amz-grant-')
  if (canned !== undefined && grants.length > 0)
    throw new S3Error('InvalidRequest', 'Specifying both Canned ACLs and Header Grants is not allowed')
  if (canned !== undefined) {
    const acl = Object.hasOwn(cannedAcls, canned) ? cannedAcls[canned] : undefined
    if (acl) return acl
    throw /^(aws-exec-read|log-delivery-write)$/.test(canned)
      ? unsupported(canned)
      : invalidArgument('x-amz-acl', canned, 'Invalid canned ACL')
  }
  if (grants.length === 0) return undefined
  return grants.flatMap(([name, value]) => {
    const permission = aclPermissions.find((one) => one === name.toUpperCase().replaceAll('-', '_'))
    if (!permission) throw invalidArgument(`x-amz-grant-${name}`, value, 'Argument format not recognized')
    const grantees = value.split(',')
    if (grantees.length > MOST_GRANTS) throw tooManyGrants()
    return grantees.map((grantee) => {
      const { kind, text } = namedIn(grantee)
      if (kind !== 'id' && kind !== 'uri')
        throw kind === 'emailAddress'
          ? unsupported('a grant to an email address')
          : invalidArgument(`x-amz-grant-${name}`, value, 'Argument format not recognized')
      return assertKept({ to: granteeOf({ [kind]: text }, owned), permission })
    })
  })
}

/** Which child of a grantee says who it is, by the kind that the grantee says that it is. */
const GRANTEES: { readonly [type: string]: string } = {
  CanonicalUser: 'ID',
  Group: 'URI',
  AmazonCustomerByEmail: 'EmailAddress',
}

/** To whom a `<Grant>` grants something. Throws MalformedACLError, InvalidArgument or NotImplemented. */
function granteeIn(grantee: XmlNode, owned: Owned): AclGrant['to'] {
  const kinds = Object.values(GRANTEES).filter((name) => childText(grantee, name)?.trim())
  const [kind] = kinds
  const { type } = grantee
  if (kind === undefined || kinds.length > 1) throw malformedAcl()
  if (type !== undefined && (!Object.hasOwn(GRANTEES, type) || GRANTEES[type] !== kind)) throw malformedAcl()
  if (kind === 'EmailAddress') throw unsupported('a grant to an email address')
  const text = childText(grantee, kind)?.trim()
  return granteeOf(kind === 'ID' ? { id: text } : { uri: text }, owned)
}

/** The ACL that a document has. Throws MalformedACLError, AccessDenied, InvalidArgument or NotImplemented. */
function aclInDocument(document: XmlNode, owned: Owned): Acl {
  const [owner, list] = [child(document, 'Owner'), child(document, 'AccessControlList')]
  const id = owner && childText(owner, 'ID')?.trim()
  if (!id || !list || list.children.length > MOST_GRANTS) throw malformedAcl()
  const grants = list.children.map((node) => {
    const grantee = child(node, 'Grantee')
    const permission = aclPermissions.find((one) => one === childText(node, 'Permission')?.trim())
    if (node.name !== 'Grant' || !grantee || !permission) throw malformedAcl()
    return assertKept({ to: granteeIn(grantee, owned), permission })
  })
  // Whose something is cannot be given away by its ACL.
  if (id !== canonicalId(owned.owner)) throw new S3Error('AccessDenied', 'Access Denied')
  return grants
}

/**
 * The ACL that a request wants set, in its headers or in its document: one of them, and not both. Throws
 * MissingSecurityHeader, UnexpectedContent, MalformedACLError, AccessDenied, InvalidRequest, InvalidArgument or
 * NotImplemented (https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html).
 */
export async function wantedAcl(exchange: Exchange, owned: Owned): Promise<Acl> {
  const inHeaders = aclInHeaders(exchange, owned)
  if (!hasBody(exchange.request)) {
    if (inHeaders) return inHeaders
    throw new S3Error('MissingSecurityHeader', 'Your request was missing a required header', {
      fields: { MissingHeaderName: 'x-amz-acl' },
    })
  }
  if (inHeaders) throw new S3Error('UnexpectedContent', 'This request does not support content')
  const document = await readDocument(exchange, ACL).catch((error: unknown) => {
    throw error instanceof S3Error && error.code === 'MalformedXML' ? malformedAcl() : error
  })
  return aclInDocument(document, owned)
}

// IAM's actions on identity providers.
import * as providers from '../../../../access/oidc-providers/providers.ts'
import { issuerKeyIn, providerArn } from '../../../../access/roles/arn.ts'
import { removeProvider } from '../../../../features/identities/roles.ts'
import { type Element, element } from '../../answers/xml.ts'
import { IAM, type QueryAction, type QueryCall } from '../action.ts'
import type { Parameters } from '../parameters.ts'
import { QueryError } from '../query-error.ts'
import { tagsElement, tagsIn } from '../tags.ts'

const ARN = { least: 20, most: 2048 }
const CLIENT_ID = { most: 255, pattern: /^[\x21-\x7e]+$/ }
const MOST_CLIENTS = 100
/** Hexadecimal of SHA-1; keys are found by discovery, and nothing asks for these. */
const THUMBPRINT = { least: 40, most: 40 }
const MOST_THUMBPRINTS = 5

/** The issuer that an ARN names. Throws ValidationError. */
function keyIn(parameters: Parameters): string {
  const arn = parameters.required('OpenIDConnectProviderArn', ARN)
  const key = issuerKeyIn(arn)
  if (key === undefined) throw new QueryError('ValidationError', `Invalid ARN: ${arn.slice(0, 200)}`)
  return key
}

/** The issuer of a new provider: a URL without parameters, as OpenID Connect Discovery wants it. Throws ValidationError. */
function urlIn(parameters: Parameters): string {
  const text = parameters.required('Url', { most: 255, pattern: /^https?:\/\/[\x21-\x7e]+$/ })
  if (!URL.canParse(text) || /[?#@]/.test(text))
    throw new QueryError('ValidationError', 'Invalid Open ID Connect Provider URL')
  return text
}

const thumbprintsIn = (parameters: Parameters): string[] | undefined =>
  parameters.list('ThumbprintList', { of: THUMBPRINT, most: MOST_THUMBPRINTS })

async function create({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const provider = await providers.createProvider(ctx, {
    issuer: urlIn(parameters),
    audiences: [...new Set(parameters.list('ClientIDList', { of: CLIENT_ID, most: MOST_CLIENTS }) ?? [])],
    thumbprints: thumbprintsIn(parameters) ?? [],
    tags: tagsIn(parameters),
  })
  return [
    element('OpenIDConnectProviderArn', providerArn(provider.key)),
    ...(provider.tags.length === 0 ? [] : [tagsElement(provider.tags)]),
  ]
}

const members = (name: string, texts: readonly string[]): Element =>
  element(name, ...texts.map((text) => element('member', text)))

async function get({ ctx, parameters }: QueryCall): Promise<Element[]> {
  const { issuer, audiences, thumbprints, tags, created_at } = await providers.getProvider(ctx, keyIn(parameters))
  return [
    element('Url', issuer),
    members('ClientIDList', audiences),
    members('ThumbprintList', thumbprints),
    ...(created_at === null ? [] : [element('CreateDate', created_at)]),
    tagsElement(tags),
  ]
}

async function list({ ctx }: QueryCall): Promise<Element[]> {
  const all = await providers.listProviders(ctx)
  return [
    element('OpenIDConnectProviderList', ...all.map(({ key }) => element('member', element('Arn', providerArn(key))))),
  ]
}

async function remove({ ctx, parameters }: QueryCall): Promise<undefined> {
  await removeProvider(ctx, keyIn(parameters))
  return undefined
}

async function addClient({ ctx, parameters }: QueryCall): Promise<undefined> {
  const id = parameters.required('ClientID', CLIENT_ID)
  const change = { audiences: (now: readonly string[]) => [...new Set([...now, id])] }
  await providers.updateProvider(ctx, keyIn(parameters), change, 'iam:AddClientIDToOpenIDConnectProvider')
  return undefined
}

async function removeClient({ ctx, parameters }: QueryCall): Promise<undefined> {
  const id = parameters.required('ClientID', CLIENT_ID)
  const change = { audiences: (now: readonly string[]) => now.filter((one) => one !== id) }
  await providers.updateProvider(ctx, keyIn(parameters), change, 'iam:RemoveClientIDFromOpenIDConnectProvider')
  return undefined
}

async function setThumbprints({ ctx, parameters }: QueryCall): Promise<undefined> {
  const change = { thumbprints: thumbprintsIn(parameters) ?? [] }
  await providers.updateProvider(ctx, keyIn(parameters), change, 'iam:UpdateOpenIDConnectProviderThumbprint')
  return undefined
}

/** Every action on identity providers that is supported. */
export const providerActions: readonly QueryAction[] = [
  {
    name: 'CreateOpenIDConnectProvider',
    api: IAM,
    accepts: ['Url', 'ClientIDList', 'ThumbprintList', 'Tags'],
    run: create,
  },
  { name: 'GetOpenIDConnectProvider', api: IAM, accepts: ['OpenIDConnectProviderArn'], run: get },
  { name: 'ListOpenIDConnectProviders', api: IAM, accepts: [], run: list },
  { name: 'DeleteOpenIDConnectProvider', api: IAM, accepts: ['OpenIDConnectProviderArn'], run: remove },
  {
    name: 'AddClientIDToOpenIDConnectProvider',
    api: IAM,
    accepts: ['OpenIDConnectProviderArn', 'ClientID'],
    run: addClient,
  },
  {
    name: 'RemoveClientIDFromOpenIDConnectProvider',
    api: IAM,
    accepts: ['OpenIDConnectProviderArn', 'ClientID'],
    run: removeClient,
  },
  {
    name: 'UpdateOpenIDConnectProviderThumbprint',
    api: IAM,
    accepts: ['OpenIDConnectProviderArn', 'ThumbprintList'],
    run: setThumbprints,
  },
]

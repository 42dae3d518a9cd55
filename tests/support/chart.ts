import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { findProgram } from './programs.ts'

export const CHART = path.join(import.meta.dirname, '../../deploy/chart')
/** Example values in deploy/chart/ci; what Helm makes of each is kept in deploy/chart/ci/rendered. */
export const EXAMPLES = ['single', 'scale', 'options'] as const
export type Example = (typeof EXAMPLES)[number]

/** Where Helm is, if it is installed. */
export const helm = findProgram('helm')

export const valuesFile = (example: Example) => path.join(CHART, 'ci', `${example}.yaml`)
export const renderedFile = (example: Example) => path.join(CHART, 'ci/rendered', `${example}.yaml`)

/** What `helm template` prints; throws an Error with what it says where it refuses. Requires Helm. */
export function render(values: string, ...options: string[]): string {
  const args = ['template', 'strongroom', CHART, '--namespace', 'storage', '--values', values, ...options]
  // Where a developer's own settings of Helm are does not matter here.
  const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' }
  try {
    return execFileSync(helm as string, args, { env, encoding: 'utf8', stdio: 'pipe', maxBuffer: 16 * 1024 * 1024 })
  } catch (error) {
    throw new Error((error as { stderr: string }).stderr)
  }
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Values = { [name: string]: Json }

/** The chart's defaults with a values file on top, as Helm merges them. */
export function valuesOf(overrides: Values): Values {
  const merge = (base: Json | undefined, over: Json): Json => {
    const isMap = (value: Json | undefined): value is Values =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isMap(base) || !isMap(over)) return over
    const merged = { ...base }
    for (const [name, value] of Object.entries(over)) merged[name] = merge(base[name], value)
    return merged
  }
  return merge(parse(fs.readFileSync(path.join(CHART, 'values.yaml'), 'utf8')), overrides) as Values
}

export interface Labels {
  [name: string]: string
}
interface Port {
  name: string
  containerPort: number
}
interface Probe {
  httpGet: { path: string; port: string }
}
export interface Variable {
  name: string
  value?: string
  valueFrom?: { secretKeyRef?: { name: string; key: string } }
}
export interface Container {
  name: string
  image: string
  args?: string[]
  env?: Variable[]
  envFrom?: { secretRef?: { name: string }; configMapRef?: { name: string } }[]
  ports?: Port[]
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
  resources: { limits?: { memory?: string } }
  volumeMounts?: { name: string; mountPath: string }[]
  securityContext: {
    allowPrivilegeEscalation: boolean
    readOnlyRootFilesystem: boolean
    capabilities: { drop: string[] }
  }
}
export interface PodSpec {
  serviceAccountName: string
  automountServiceAccountToken: boolean
  enableServiceLinks: boolean
  terminationGracePeriodSeconds?: number
  imagePullSecrets?: { name: string }[]
  securityContext: { runAsNonRoot: boolean; runAsUser: number; seccompProfile: { type: string } }
  topologySpreadConstraints?: { labelSelector: { matchLabels: Labels } }[]
  containers: Container[]
  volumes?: { name: string; persistentVolumeClaim?: { claimName: string }; configMap?: { name: string } }[]
}

interface Meta {
  name: string
  labels: Labels
  annotations?: Labels
}
interface Selector {
  matchLabels: Labels
}
/** One type for each kind, so that a kind selects its own. */
type With<Kind extends string, Rest> = Kind extends string
  ? { apiVersion: string; kind: Kind; metadata: Meta } & Rest
  : never
type Of<Kind extends string, Spec> = With<Kind, { spec: Spec }>
interface Workload {
  replicas?: number
  serviceName?: string
  selector: Selector
  template: { metadata: Omit<Meta, 'name'>; spec: PodSpec }
  volumeClaimTemplates?: { metadata: { name: string } }[]
  strategy?: { rollingUpdate: { maxUnavailable: number } }
}
interface PolicyRule {
  ports: { port: string | number }[]
}
/** The parts of Kubernetes resources that checks read. */
export type Resource =
  | Of<'StatefulSet' | 'Deployment', Workload>
  | Of<'Job', Pick<Workload, 'template'>>
  | Of<'Pod', PodSpec>
  | Of<'Service', { selector: Labels; clusterIP?: string; ports: { name: string; targetPort: string }[] }>
  | Of<
      'Ingress',
      {
        tls?: { hosts: string[] }[]
        rules: { host: string; http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] } }[]
      }
    >
  | Of<'PodDisruptionBudget', { selector: Selector }>
  | Of<'HorizontalPodAutoscaler', { scaleTargetRef: { kind: string; name: string } }>
  | Of<'NetworkPolicy', { podSelector: Selector; ingress: PolicyRule[]; egress?: PolicyRule[] }>
  | Of<
      'ServiceMonitor',
      {
        selector: Selector & { matchExpressions: { key: string; values: string[] }[] }
        endpoints: { port: string; authorization?: { credentials: { name: string; key: string } } }[]
      }
    >
  | Of<'PrometheusRule', { groups: { name: string; rules: { alert: string; expr: string }[] }[] }>
  | With<'Secret' | 'ConfigMap', { data: Labels }>
  | With<'ServiceAccount', { automountServiceAccountToken: boolean }>
export type Kind<Name extends Resource['kind']> = Extract<Resource, { kind: Name }>

/** The resources in a text of YAML documents; throws on what is not valid YAML. */
export const resourcesOf = (text: string): Resource[] =>
  parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.contents === null ? [] : [document.toJS() as Resource]
  })

/** The resources that are kept for an example. */
export const kept = (example: Example): Resource[] => resourcesOf(fs.readFileSync(renderedFile(example), 'utf8'))

export const ofKind = <Name extends Resource['kind']>(all: readonly Resource[], ...kinds: Name[]): Kind<Name>[] =>
  all.filter((one): one is Kind<Name> => (kinds as string[]).includes(one.kind))

/** Every pod that the resources make, with its labels. */
export const podsOf = (all: readonly Resource[]) => [
  ...ofKind(all, 'StatefulSet', 'Deployment', 'Job').map(({ kind, metadata, spec }) => ({
    owner: `${kind} ${metadata.name}`,
    labels: spec.template.metadata.labels,
    spec: spec.template.spec,
    claims: 'volumeClaimTemplates' in spec ? (spec.volumeClaimTemplates ?? []).map((one) => one.metadata.name) : [],
  })),
  ...ofKind(all, 'Pod').map(({ metadata, spec }) => ({
    owner: `Pod ${metadata.name}`,
    labels: metadata.labels,
    spec,
    claims: [] as string[],
  })),
]

const matches = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

/**
 * What is wrong between resources and within pods: names that nothing has, selectors that select nothing, and pods that
 * the "restricted" pod security standard refuses. `outside` lists what exists without the chart, as `Kind name`.
 */
export function faultsOf(all: readonly Resource[], outside: readonly string[] = []): string[] {
  const faults: string[] = []
  const check = (fine: boolean, fault: string) => void (fine || faults.push(fault))
  const names = new Set([...all.map(({ kind, metadata }) => `${kind} ${metadata.name}`), ...outside])
  check(names.size === all.length + outside.length, 'two resources have the same kind and name')
  const refers = (from: string, to: string) => check(names.has(to), `${from}: there is no ${to}`)
  const pods = podsOf(all)
  const selected = (from: string, selector: Labels) => {
    const found = pods.filter(({ labels }) => matches(selector, labels))
    check(found.length === 1, `${from}: selects ${found.length} kinds of pods`)
    return found[0]
  }
  const hasPort = (pod: (typeof pods)[number] | undefined, port: string): boolean =>
    pod?.spec.containers.some(({ ports = [] }) => ports.some(({ name }) => name === port)) ?? false

  for (const { kind, metadata } of all)
    check(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(metadata.name), `${kind} ${metadata.name}: not a name`)
  for (const { owner, labels, spec, claims } of pods) {
    refers(owner, `ServiceAccount ${spec.serviceAccountName}`)
    for (const { name } of spec.imagePullSecrets ?? []) refers(owner, `Secret ${name}`)
    const volumes = [...(spec.volumes ?? []).map(({ name }) => name), ...claims]
    check(new Set(volumes).size === volumes.length, `${owner}: two volumes have the same name`)
    for (const { persistentVolumeClaim, configMap } of spec.volumes ?? []) {
      if (persistentVolumeClaim) refers(owner, `PersistentVolumeClaim ${persistentVolumeClaim.claimName}`)
      if (configMap) refers(owner, `ConfigMap ${configMap.name}`)
    }
    for (const { labelSelector } of spec.topologySpreadConstraints ?? [])
      check(matches(labelSelector.matchLabels, labels), `${owner}: spreads other pods`)
    check(spec.securityContext.runAsNonRoot && spec.securityContext.runAsUser > 0, `${owner}: may run as root`)
    check(spec.securityContext.seccompProfile.type === 'RuntimeDefault', `${owner}: no seccomp profile`)
    check(spec.automountServiceAccountToken === false, `${owner}: has a token of its service account`)
    check(spec.enableServiceLinks === false, `${owner}: Services set its variables`)
    for (const container of spec.containers) {
      const { env = [], envFrom = [], volumeMounts = [], securityContext: security } = container
      for (const { name } of volumeMounts) check(volumes.includes(name), `${owner}: there is no volume ${name}`)
      for (const name of volumes)
        check(
          volumeMounts.some((mount) => mount.name === name),
          `${owner}: ${name} is not mounted`,
        )
      check(new Set(env.map(({ name }) => name)).size === env.length, `${owner}: a variable is there twice`)
      for (const { valueFrom } of env)
        if (valueFrom?.secretKeyRef) refers(owner, `Secret ${valueFrom.secretKeyRef.name}`)
      for (const { secretRef, configMapRef } of envFrom) {
        if (secretRef) refers(owner, `Secret ${secretRef.name}`)
        if (configMapRef) refers(owner, `ConfigMap ${configMapRef.name}`)
      }
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
        check(
          probe === undefined || (container.ports ?? []).some(({ name }) => name === probe.httpGet.port),
          `${owner}: a probe asks a port that is not there`,
        )
      check(security.allowPrivilegeEscalation === false, `${owner}: may escalate privileges`)
      check(security.readOnlyRootFilesystem, `${owner}: its root file system is writable`)
      check(security.capabilities.drop.includes('ALL'), `${owner}: has capabilities`)
      check(container.resources.limits?.memory !== undefined, `${owner}: has no limit of memory`)
      const drain = Number(env.find(({ name }) => name === 'DRAIN_SECONDS')?.value ?? 0)
      check((spec.terminationGracePeriodSeconds ?? 30) > drain, `${owner}: is killed while it drains`)
    }
  }
  for (const one of all) {
    const from = `${one.kind} ${one.metadata.name}`
    if (one.kind === 'StatefulSet' || one.kind === 'Deployment') {
      check(matches(one.spec.selector.matchLabels, one.spec.template.metadata.labels), `${from}: not its own pods`)
      selected(from, one.spec.selector.matchLabels)
      if (one.kind === 'StatefulSet') refers(from, `Service ${one.spec.serviceName}`)
    }
    if (one.kind === 'Service') {
      const pod = selected(from, one.spec.selector)
      for (const { targetPort } of one.spec.ports) check(hasPort(pod, targetPort), `${from}: no port ${targetPort}`)
    }
    if (one.kind === 'Ingress')
      for (const { host, http } of one.spec.rules) {
        const covered = one.spec.tls === undefined || one.spec.tls.some(({ hosts }) => hosts.includes(host))
        check(covered, `${from}: no certificate for ${host}`)
        for (const { backend } of http.paths) {
          refers(from, `Service ${backend.service.name}`)
          const service = ofKind(all, 'Service').find(({ metadata }) => metadata.name === backend.service.name)
          const port = backend.service.port.name
          check(service?.spec.ports.some(({ name }) => name === port) ?? false, `${from}: no port ${port}`)
        }
      }
    if (one.kind === 'PodDisruptionBudget') selected(from, one.spec.selector.matchLabels)
    if (one.kind === 'HorizontalPodAutoscaler') {
      const { kind, name } = one.spec.scaleTargetRef
      refers(from, `${kind} ${name}`)
      const scaled = ofKind(all, 'Deployment').find(({ metadata }) => metadata.name === name)
      check(scaled?.spec.replicas === undefined, `${from}: ${name} sets its number of replicas, too`)
    }
    // A policy for the pods of a Job may stay when the Job does not run.
    if (one.kind === 'NetworkPolicy' && one.metadata.labels['app.kubernetes.io/component'] !== 'upgrade') {
      const pod = selected(from, one.spec.podSelector.matchLabels)
      for (const { port } of one.spec.ingress.flatMap(({ ports }) => ports))
        check(typeof port === 'number' || hasPort(pod, port), `${from}: no port ${port}`)
    }
    if (one.kind === 'ServiceMonitor') {
      const services = ofKind(all, 'Service').filter(
        ({ metadata: { labels } }) =>
          matches(one.spec.selector.matchLabels, labels) &&
          one.spec.selector.matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? '')),
      )
      const scraped = services.map(({ spec }) => selected(from, spec.selector)?.owner)
      const serving = pods.filter((pod) => hasPort(pod, 'http')).map(({ owner }) => owner)
      check(scraped.toSorted().join() === serving.toSorted().join(), `${from}: scrapes ${scraped}, not ${serving}`)
      for (const { port, authorization } of one.spec.endpoints) {
        check(
          services.every(({ spec }) => spec.ports.some(({ name }) => name === port)),
          `${from}: no port ${port}`,
        )
        if (!authorization) continue
        refers(from, `Secret ${authorization.credentials.name}`)
        const secret = ofKind(all, 'Secret').find(({ metadata }) => metadata.name === authorization.credentials.name)
        check(!secret || authorization.credentials.key in secret.data, `${from}: no key in the Secret`)
      }
    }
  }
  return faults
}

/** The environment of a container as far as it is known: what Secrets outside the chart hold comes from `outside`. */
export function environmentOf(
  all: readonly Resource[],
  { env = [], envFrom = [] }: Container,
  outside: Record<string, Labels> = {},
): Record<string, string> {
  const secrets: Record<string, Labels> = { ...outside }
  for (const { metadata, data } of ofKind(all, 'Secret'))
    secrets[metadata.name] = Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
    )
  const from = (name: string): Labels => {
    const secret = secrets[name]
    if (!secret) throw new Error(`Nothing is known of the Secret ${name}`)
    return secret
  }
  const read = ({ value, valueFrom }: Variable): string =>
    valueFrom?.secretKeyRef ? (from(valueFrom.secretKeyRef.name)[valueFrom.secretKeyRef.key] ?? '') : (value ?? '')
  return Object.assign(
    {},
    ...envFrom.map(({ secretRef }) => (secretRef ? from(secretRef.name) : {})),
    Object.fromEntries(env.map((one) => [one.name, read(one)])),
  )
}

// The Helm chart: its kept manifests are what Helm makes of it, fit Kubernetes' API and each other, and start the service.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import { readConfig } from '../../server/config/config.ts'
import { variables } from '../../server/config/variables.ts'
import {
  CHART,
  EXAMPLES,
  type Example,
  environmentOf,
  faultsOf,
  helm,
  kept,
  type Labels,
  ofKind,
  podsOf,
  type Resource,
  render,
  resourcesOf,
  valuesFile,
  valuesOf,
} from '../support/chart.ts'
import { createDatabase, postgresUrl } from '../support/postgres.ts'
import { type ServerProcess, s3UrlOf, spawnServer } from '../support/process.ts'
import { SECRET_KEY } from '../support/server.ts'

const root = path.join(import.meta.dirname, '../..')
const read = (file: string) => fs.readFileSync(file, 'utf8')
const withoutHelm = helm ? false : 'helm is not installed (CONTRIBUTING.md says where .ci/run has it from)'
const sorted = (all: readonly Resource[]) =>
  all.toSorted((one, other) => (`${one.kind} ${one.metadata.name}` < `${other.kind} ${other.metadata.name}` ? -1 : 1))

/** What an example refers to without having it, and what is in those Secrets. */
const OUTSIDE: Record<Example, { names: string[]; secrets: Record<string, Labels> }> = {
  single: { names: ['Secret strongroom-secrets'], secrets: { 'strongroom-secrets': { SECRET_KEY } } },
  scale: { names: [], secrets: {} },
  options: {
    names: [
      'Secret keys',
      'Secret registry',
      'Secret identity-provider',
      'ConfigMap certificates',
      'PersistentVolumeClaim storage-data',
      'ServiceAccount default',
    ],
    secrets: { keys: { strongroom: SECRET_KEY }, 'identity-provider': { IDP_NAME: 'Example' } },
  },
}
/** The environment of a component's container. */
const environment = (example: Example, component: string) => {
  const all = kept(example)
  const pod = podsOf(all).find(({ labels }) => labels['app.kubernetes.io/component'] === component)
  const [container] = pod?.spec.containers ?? []
  assert.ok(container, component)
  return { container, env: environmentOf(all, container, OUTSIDE[example].secrets) }
}

describe('the chart', () => {
  it('has the version of the release', () => {
    const { appVersion } = parse(read(path.join(CHART, 'Chart.yaml')))
    assert.equal(appVersion, JSON.parse(read(path.join(root, 'package.json'))).version)
  })

  it('is kept as Helm renders it (npm run chart)', { skip: withoutHelm }, () => {
    for (const example of EXAMPLES)
      assert.deepEqual(sorted(resourcesOf(render(valuesFile(example)))), sorted(kept(example)), example)
  })

  it('passes Helm’s own checks', { skip: withoutHelm }, () => {
    for (const example of EXAMPLES) {
      const { status, stdout } = spawnSync(helm as string, ['lint', '--strict', '-f', valuesFile(example), CHART])
      assert.equal(status, 0, String(stdout))
    }
  })

  it('has a schema that accepts the defaults and the examples, and no misspelled or unusable value', () => {
    const accepts = new Ajv({ strict: false, validateFormats: false }).compile(
      JSON.parse(read(path.join(CHART, 'values.schema.json'))),
    )
    assert.ok(accepts(valuesOf({})), JSON.stringify(accepts.errors))
    for (const example of EXAMPLES)
      assert.ok(accepts(valuesOf(parse(read(valuesFile(example))))), `${example}: ${JSON.stringify(accepts.errors)}`)
    const bad: [string, Parameters<typeof valuesOf>[0]][] = [
      ['/mode', { mode: 'both' }],
      ['', { replicas: 3 }],
      ['/web', { web: { replica: 3 } }],
      ['/web/replicas', { web: { replicas: 0 } }],
      ['/drainSeconds', { drainSeconds: '15' }],
      ['/config', { config: { log_level: 'info' } }],
      ['/config/LOG_LEVEL', { config: { LOG_LEVEL: { level: 'info' } } }],
      ['/secrets/values', { secrets: { values: { 'secret-key': 'x' } } }],
      ['/image/digest', { image: { digest: 'latest' } }],
      ['/single/persistence/accessModes/0', { single: { persistence: { accessModes: ['ReadWriteMany'] } } }],
      ['/single/persistence/size', { single: { persistence: { size: '20 GB' } } }],
      ['/ingress/host', { ingress: { host: 'https://storage.example.com' } }],
      ['/service/port', { service: { port: 80_000 } }],
      ['/extraEnv/0', { extraEnv: [{ value: 'nameless' }] }],
      ['/serviceMonitor/interval', { serviceMonitor: { interval: '30' } }],
    ]
    for (const [where, values] of bad) {
      assert.equal(accepts(valuesOf(values)), false, where)
      assert.ok(
        accepts.errors?.some(({ instancePath }) => instancePath === where),
        `${where}: ${JSON.stringify(accepts.errors)}`,
      )
    }
  })

  it('refuses what cannot work, and secrets where everyone reads them', { skip: withoutHelm }, () => {
    const single = valuesFile('single')
    const scale = valuesFile('scale')
    const empty = path.join(CHART, 'values.yaml')
    const key = `secrets.values.SECRET_KEY=${'k'.repeat(32)}`
    const refused: [string, string[], RegExp][] = [
      [empty, [], /SECRET_KEY is required: set secrets\.existingSecret/],
      [empty, ['secrets.values.METRICS_TOKEN=a-token-of-metrics'], /SECRET_KEY is required/],
      [empty, ['secrets.values.SECRET_KEY=short'], /at least 32 characters/],
      [single, ['secrets.values.SECRET_KEY=x'], /not both/],
      [single, ['config.PORT=80'], /sets PORT itself/],
      [single, ['config.IDP_CLIENT_SECRET=x'], /config\.IDP_CLIENT_SECRET is a secret/],
      [single, ['config.METRICS_TOKEN=x'], /config\.METRICS_TOKEN is a secret/],
      [single, ['config.DATABASE_URL=postgres://me:password@db/x'], /config\.DATABASE_URL is a secret, or contains/],
      [single, ['upgradeJob.enabled=true'], /upgradeJob needs mode scale/],
      [single, ['ingress.enabled=true'], /ingress\.host is required/],
      [single, ['ingress.enabled=true', 'ingress.host=a.b', 'ingress.s3.host=a.b'], /must differ/],
      [single, ['ingress.enabled=true', 'ingress.host=a.b', 'ingress.s3.wildcard=true'], /needs ingress\.s3\.host/],
      [single, ['ingress.enabled=true', 'ingress.host=a.b', 'ingress.s3.host=b.b', 's3.enabled=false'], /s3\.enabled/],
      [single, ['mode=both'], /mode/],
      [empty, ['mode=scale', key], /mode scale needs DATABASE_URL/],
      [empty, ['mode=scale', key, 'secrets.values.DATABASE_URL=postgres://a/b'], /mode scale needs STORAGE_URL/],
      [scale, ['secrets.values.DATABASE_URL=sqlite:/data/x.db'], /needs PostgreSQL/],
      [scale, ['config.STORAGE_URL=file:/data/blobs'], /needs an S3 engine/],
      [empty, [key, 'serviceMonitor.enabled=true'], /serviceMonitor needs METRICS_TOKEN/],
      [scale, ['drainSeconds=120'], /must exceed drainSeconds/],
    ]
    for (const [values, set, message] of refused)
      assert.throws(() => render(values, ...set.flatMap((one) => ['--set', one])), { message }, String(set))
  })

  it('can do without each part', { skip: withoutHelm }, () => {
    const rendered = (example: Example, ...set: string[]) =>
      resourcesOf(render(valuesFile(example), ...set.flatMap((one) => ['--set', one])))
    const alone = rendered('scale', 'worker.enabled=false', 'upgradeJob.enabled=false', 'networkPolicy.enabled=false')
    assert.deepEqual(faultsOf(alone), [])
    assert.deepEqual(
      ofKind(alone, 'Deployment').map(({ spec }) => spec.template.spec.containers[0]?.args),
      [['serve']],
    )
    const few = rendered('scale', 'web.autoscaling.enabled=false', 'web.replicas=1', 'worker.replicas=1')
    assert.deepEqual(faultsOf(few), [])
    assert.deepEqual(ofKind(few, 'PodDisruptionBudget', 'HorizontalPodAutoscaler'), [], 'one pod can be evicted')
    const existing = rendered('single', 'mode=scale', 'serviceMonitor.enabled=true', 'upgradeJob.enabled=true')
    assert.deepEqual(faultsOf(existing, OUTSIDE.single.names), [])
    assert.equal(ofKind(existing, 'Deployment').length, 2)
    assert.deepEqual(ofKind(existing, 'Secret'), [])
    const large = rendered('single', 'config.IMAGE_CACHE_BYTES=107374182400', 'nameOverride=a-name', 's3.enabled=false')
    assert.deepEqual(faultsOf(large, OUTSIDE.single.names), [])
    const [container] = podsOf(large)[0]?.spec.containers ?? []
    assert.ok(container)
    assert.equal(environmentOf(large, container, OUTSIDE.single.secrets).IMAGE_CACHE_BYTES, '107374182400')
    // Another Secret than the pods were started with replaces them; the same one does not.
    const sums = ['one', 'one', 'two'].map((token) => {
      const [web] = ofKind(rendered('scale', `secrets.values.METRICS_TOKEN=${token}`), 'Deployment')
      return web?.spec.template.metadata.annotations?.['checksum/secret']
    })
    assert.ok(sums[0] && sums[0] === sums[1] && sums[0] !== sums[2], String(sums))
  })

  it('fits Kubernetes’ API: known fields with values of their types', (t) => {
    const modules: Partial<Record<Resource['kind'], string>> = {
      StatefulSet: 'apps/v1',
      Deployment: 'apps/v1',
      Job: 'batch/v1',
      Pod: 'core/v1',
      Service: 'core/v1',
      Secret: 'core/v1',
      ConfigMap: 'core/v1',
      ServiceAccount: 'core/v1',
      Ingress: 'networking.k8s.io/v1',
      NetworkPolicy: 'networking.k8s.io/v1',
      PodDisruptionBudget: 'policy/v1',
      HorizontalPodAutoscaler: 'autoscaling/v2',
    }
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-chart-'))
    t.after(() => fs.rmSync(folder, { recursive: true, force: true }))
    const known = (all: readonly Resource[]) => all.filter(({ kind }) => kind in modules)
    // Of literals, TypeScript refuses fields that a type does not have.
    const source = (all: readonly Resource[]) =>
      all
        .map(({ kind }, at) => {
          const from = path.join(root, 'node_modules/kubernetes-types', modules[kind]?.replace('.k8s.io', '') ?? '')
          return `const value${at}: import('${from}').${kind} = ${JSON.stringify(all[at])}`
        })
        .join('\n')
    const complaints = (name: string, all: readonly Resource[]) => {
      const file = path.join(folder, `${name}.ts`)
      fs.writeFileSync(file, `${source(known(all))}\n`)
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'esnext', '--types', '']
      return spawnSync(path.join(root, 'node_modules/.bin/tsc'), [...options, file], {
        encoding: 'utf8',
        cwd: folder,
      }).stdout.trim()
    }
    for (const example of EXAMPLES) {
      const all = kept(example)
      assert.equal(complaints(example, all), '', example)
      for (const { kind, apiVersion } of known(all))
        assert.equal(apiVersion, modules[kind]?.replace('core/', ''), `${kind} of ${example}`)
    }
    const misspelled = JSON.parse(
      JSON.stringify(kept('scale')).replace('"httpGet":', '"httpget":').replace('"8080"', '8080'),
    )
    const found = complaints('misspelled', misspelled)
    assert.match(found, /'"httpget"' does not exist in type 'Probe'/)
    assert.match(found, /Type 'number' is not assignable to type 'string'/)
  })

  it('has only resources that refer to what is there, in pods of the restricted standard', () => {
    for (const example of EXAMPLES) assert.deepEqual(faultsOf(kept(example), OUTSIDE[example].names), [], example)
    const wrong: [string, string, RegExp][] = [
      ['"targetPort":"s3"', '"targetPort":"s4"', /Service strongroom: no port s4/],
      ['"port":{"name":"s3"}', '"port":{"name":"s4"}', /Ingress strongroom-s3: no port s4/],
      ['"path":"/healthz","port":"http"', '"path":"/healthz","port":"https"', /a probe asks a port that is not there/],
      ['"name":"tmp","mountPath"', '"name":"temp","mountPath"', /there is no volume temp/],
      ['"secretRef":{"name":"strongroom"}', '"secretRef":{"name":"other"}', /there is no Secret other/],
      ['"serviceAccountName":"strongroom"', '"serviceAccountName":"other"', /there is no ServiceAccount other/],
      ['"runAsNonRoot":true', '"runAsNonRoot":false', /may run as root/],
      ['"readOnlyRootFilesystem":true', '"readOnlyRootFilesystem":false', /root file system is writable/],
      ['"drop":["ALL"]', '"drop":["NET_RAW"]', /has capabilities/],
      ['"name":"HOST"', '"name":"PORT"', /a variable is there twice/],
      ['"terminationGracePeriodSeconds":120', '"terminationGracePeriodSeconds":15', /is killed while it drains/],
      ['"key":"METRICS_TOKEN"', '"key":"OTHER"', /ServiceMonitor strongroom: no key in the Secret/],
      ['"values":["web","worker"]', '"values":["web"]', /scrapes Deployment strongroom-web, not/],
    ]
    const text = JSON.stringify(kept('scale'))
    for (const [from, to, fault] of wrong) {
      assert.ok(text.includes(from), from)
      assert.match(faultsOf(JSON.parse(text.replace(from, to))).join('\n'), fault)
    }
  })

  it('replaces single pods and rolls web pods without one less, on the same claim', () => {
    const [single] = ofKind(kept('single'), 'StatefulSet')
    assert.equal(single?.spec.replicas, 1)
    assert.deepEqual(ofKind(kept('single'), 'Deployment'), [])
    for (const { spec } of ofKind(kept('scale'), 'Deployment'))
      assert.equal(spec.strategy?.rollingUpdate.maxUnavailable, 0)
    assert.deepEqual(ofKind(kept('scale'), 'StatefulSet'), [])
  })

  it('has the rules and the dashboard of this folder', () => {
    const [rules] = ofKind(kept('scale'), 'PrometheusRule')
    assert.deepEqual(rules?.spec, parse(read(path.join(root, 'deploy/prometheus-rules.yaml'))))
    const [dashboard] = ofKind(kept('scale'), 'ConfigMap')
    assert.deepEqual(
      JSON.parse(dashboard?.data['strongroom.json'] ?? ''),
      JSON.parse(read(path.join(root, 'deploy/grafana-dashboard.json'))),
    )
    for (const example of EXAMPLES)
      for (const { metadata } of ofKind(kept(example), 'ServiceMonitor', 'Service'))
        assert.equal(metadata.labels['app.kubernetes.io/name'], 'strongroom', 'the job that the rules name')
  })

  it('sets variables that exist, with values that the service accepts', () => {
    for (const [example, component] of [
      ['single', 'server'],
      ['options', 'server'],
      ['scale', 'web'],
      ['scale', 'worker'],
      ['scale', 'upgrade'],
    ] as const) {
      const { env } = environment(example, component)
      for (const name of Object.keys(env)) assert.ok(name in variables || name === 'NODE_EXTRA_CA_CERTS', name)
      assert.equal(readConfig(env).port, 8080)
    }
    const web = readConfig(environment('scale', 'web').env)
    assert.deepEqual(
      [web.publicBaseUrl, web.s3.publicUrl, web.s3.domains, web.s3.port?.first, web.drainMs, web.imageCacheBytes],
      ['https://storage.example.com', 'https://s3.example.com', ['s3.example.com'], 9000, 15_000, 1024 ** 3],
    )
    assert.equal(readConfig(environment('scale', 'worker').env).s3.port, null)
    const options = readConfig(environment('options', 'server').env)
    assert.deepEqual([options.publicBaseUrl, options.s3.port, options.drainMs], ['https://files.example.com', null, 0])
  })
})

describe('what the chart’s pods run', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'strongroom-pods-'))
  const running: ServerProcess[] = []
  let drop: () => Promise<void>
  let here: Record<string, string>
  before(async () => {
    const postgres = await createDatabase(await postgresUrl())
    drop = postgres.drop
    // What a cluster would bring: addresses, a database, a place for bytes.
    here = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: folder, BCRYPT_COST: '10' }
    here.DATABASE_URL = postgres.url
    here.STORAGE_URL = `file:${folder}/blobs`
  })
  after(async () => {
    for (const one of running) await one.kill('SIGKILL')
    await drop?.()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  for (const [example, component] of [
    ['scale', 'web'],
    ['scale', 'worker'],
    ['single', 'server'],
  ] as const)
    it(`${component}: starts, and its probes succeed`, async () => {
      const { container, env } = environment(example, component)
      const s3: Record<string, string> = env.S3_PORT === '' ? {} : { S3_PORT: '0' }
      if (example === 'single') delete here.DATABASE_URL
      const data = { DATA_DIR: path.join(folder, example), STORAGE_URL: `file:${folder}/${example}/blobs` }
      const server = await spawnServer({ ...env, ...here, ...data, ...s3, DRAIN_SECONDS: '0' }, container.args)
      running.push(server)
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
        assert.equal((await fetch(`${server.url}${probe?.httpGet.path}`)).status, 200, probe?.httpGet.path)
      if (env.METRICS_TOKEN) {
        const authorization = `Bearer ${env.METRICS_TOKEN}`
        assert.equal((await fetch(`${server.url}/metrics`, { headers: { authorization } })).status, 200)
        assert.equal((await fetch(`${server.url}/metrics`)).status, 401)
      }
      // The chart's own test asks for this.
      if (component !== 'worker') assert.equal((await fetch(await s3UrlOf(server))).status, 403)
      else assert.doesNotMatch(server.log(), /S3 clients/)
      assert.equal(await server.kill('SIGTERM'), 0)
    })
})

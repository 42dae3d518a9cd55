import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { until } from './until.ts'

const find = (name: string) =>
  ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
    .map((folder) => `${folder}/${name}`)
    .find((file) => fs.existsSync(file))
const PROGRAMS = { nginx: find('nginx'), caddy: find('caddy') }
const PACKAGES = { nginx: 'nginx-light', caddy: 'caddy' }
export type ProxyName = keyof typeof PROGRAMS

/** Why tests of a proxy are skipped; false if it is installed. */
export const noProxy = (name: ProxyName): string | false =>
  PROGRAMS[name] ? false : `${name} is not installed (apt-get install ${PACKAGES[name]})`

export interface RunningProxy {
  port: number
  /** The access log of nginx, and everything that Caddy logs. */
  log(): string
  /** The names of files in nginx's folder for bodies (`client_body`) or responses (`proxy`). */
  copies(of: 'client_body' | 'proxy'): string[]
  stop(): Promise<void>
}

/** A port of this machine that is free at the moment. */
export async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  probe.close()
  return port
}

/** A file of nginx that has only the sites of its `http` block, with all that it writes in this folder. */
function nginxFile(folder: string, sites: string): string {
  const file = (of: string) => path.join(folder, of)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${file(`tmp-${one}`)};`,
  )
  const at = file('nginx.conf')
  fs.writeFileSync(
    at,
    `daemon off; pid ${file('nginx.pid')}; error_log ${file('error.log')}; worker_processes 1;
     events { worker_connections 512; }
     http { ${temporary.join(' ')} ${sites} }`,
  )
  return at
}

/** Runs nginx with these sites, without TLS, until the returned function is called; it listens at this port of them. */
export async function startNginx(folder: string, sites: string, port: number): Promise<() => Promise<void>> {
  const errors = path.join(folder, 'error.log')
  const child = spawn(PROGRAMS.nginx as string, ['-c', nginxFile(folder, sites), '-e', errors], { stdio: 'inherit' })
  const exited = once(child, 'exit')
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${fs.readFileSync(errors, 'utf8')}`)
    const socket = net.connect(port, '127.0.0.1')
    const listens = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    return listens
  })
  return async () => {
    process.off('exit', end)
    if (child.exitCode === null) child.kill('SIGTERM')
    await exited
  }
}

const sample = (file: string) => fs.readFileSync(path.join(import.meta.dirname, '../../deploy', file), 'utf8')

/**
 * Runs a proxy with its file in deploy/, in front of services at these `host:port`. Only what belongs to the machine is
 * replaced: addresses, certificates and logs. It serves storage.example.com, s3.example.com and the latter's subdomains.
 */
export async function startProxy(
  name: ProxyName,
  folder: string,
  services: { api: readonly string[]; s3: readonly string[] },
): Promise<RunningProxy> {
  const file = (of: string) => path.join(folder, of)
  const port = await freePort()
  execFileSync(
    'openssl',
    // biome-ignore format: a command line
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
      '-subj', '/CN=storage.example.com', '-addext', 'subjectAltName=DNS:storage.example.com,DNS:*.s3.example.com,DNS:s3.example.com',
      '-keyout', file('key.pem'), '-out', file('cert.pem')],
    { stdio: 'ignore' },
  )
  const program = PROGRAMS[name] as string
  let child: ReturnType<typeof spawn>
  if (name === 'nginx') {
    const servers = (all: readonly string[]) => all.map((one) => `server ${one} max_fails=1 fail_timeout=1s;`).join(' ')
    const site = sample('nginx.conf')
      .replace('server 127.0.0.1:8080;', servers(services.api))
      .replace('server 127.0.0.1:9000;', servers(services.s3))
      .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      // Not every machine has IPv6.
      .replace(/^ +listen \[::\]:443 ssl http2;\n/gm, '')
      .replace(/ssl_certificate \S+;/g, `ssl_certificate ${file('cert.pem')};`)
      .replace(/ssl_certificate_key \S+;/g, `ssl_certificate_key ${file('key.pem')};`)
      .replace(/access_log \S+/g, `access_log ${file('access.log')}`)
      // Port 80 is not ours to take here.
      .replace(/server \{\s+listen 80;(.|\n)*?\n\}\n/, '')
    child = spawn(program, ['-c', nginxFile(folder, site), '-e', file('error.log')], { stdio: 'inherit' })
  } else {
    const certificate = `tls ${file('cert.pem')} ${file('key.pem')}`
    const site = sample('Caddyfile')
      .replace(/^\{\n/m, `{\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n`)
      .replace(/^storage\.example\.com \{\n/m, `https://storage.example.com:${port} {\n\t${certificate}\n`)
      // The line that its comment has for buckets as subdomains.
      .replace(
        /^s3\.example\.com \{\n/m,
        `https://s3.example.com:${port}, https://*.s3.example.com:${port} {\n\t${certificate}\n`,
      )
      .replace('reverse_proxy 127.0.0.1:8080', `reverse_proxy ${services.api.join(' ')}`)
      .replace('reverse_proxy 127.0.0.1:9000', `reverse_proxy ${services.s3.join(' ')}`)
      .replace('log default {', `log default {\n\t\toutput file ${file('access.log')}`)
    fs.writeFileSync(file('Caddyfile'), site)
    const env = { PATH: process.env.PATH ?? '', HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
    const args = ['run', '--config', file('Caddyfile'), '--adapter', 'caddyfile']
    child = spawn(program, args, { env, stdio: ['ignore', 'ignore', fs.openSync(file('error.log'), 'a')] })
  }
  const exited = once(child, 'exit')
  const end = () => void child.kill('SIGKILL')
  process.once('exit', end)
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = tls.connect({
        host: '127.0.0.1',
        port,
        servername: 'storage.example.com',
        rejectUnauthorized: false,
      })
      socket.once('secureConnect', () => resolve(true) ?? socket.destroy()).once('error', () => resolve(false))
    })
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${fs.readFileSync(file('error.log'), 'utf8')}`)
    return listens()
  })
  return {
    port,
    log: () => fs.readFileSync(file('access.log'), 'utf8'),
    copies: (of) => (name === 'nginx' ? fs.readdirSync(file(`tmp-${of}`)) : []),
    async stop() {
      process.off('exit', end)
      if (child.exitCode === null) child.kill('SIGTERM')
      await exited
    },
  }
}

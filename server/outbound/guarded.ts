import { perSystem } from '../base/per-system.ts'
import type { Config } from '../config/config.ts'
import { createResolve } from './resolve.ts'
import type { Route } from './route.ts'

/** How this process reaches what others have named: receivers of webhooks, and identity providers that are registered. */
export const routeOf = perSystem(({ webhooks, port }: Config): Route => {
  const { allowed, denied, ca, proxy, dnsServers, systemNames } = webhooks
  const resolve = createResolve({ servers: dnsServers, systemNames })
  return { allowed, denied, ca, proxy, resolve, ownPort: port }
})

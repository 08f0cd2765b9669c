import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import { onTestFinished } from 'vitest'
import { testFolder, type Later } from '../../store/harness.ts'
import { started } from '../../programs.ts'

/** The settings of a registry of CNCF Distribution that leaves authentication to a platform. */
export interface ClusterSettings {
  /** The address of the platform, which issues the tokens. */
  readonly issuer: string
  /** The name of the registry in tokens. */
  readonly service: string
  /** A token of the platform, whose certificate the registry trusts. */
  readonly token: string
  readonly port: number
  /** Whether the registry deletes manifests. */
  readonly canDelete?: boolean
}

/** A started registry of CNCF Distribution. */
export interface DistributionCluster {
  readonly url: string
  /** Ends the registry. */
  stop(): Promise<void>
}

/** Returns a port of 127.0.0.1 that no process listens at now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('the server listens at no port')
  return address.port
}

/** Starts Debian's `docker-registry` on a port of 127.0.0.1; `later` ends it. */
export async function distributionCluster(
  { canDelete = true, issuer, port, service, token }: ClusterSettings,
  later: Later = onTestFinished,
): Promise<DistributionCluster> {
  const folder = testFolder(later)
  const [certificate = ''] = decodeProtectedHeader(token).x5c ?? []
  const rootcertbundle = join(folder, 'root.pem')
  writeFileSync(rootcertbundle, `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`)
  // The file is YAML, of which JSON is a part.
  const settings = {
    version: 0.1,
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: folder }, delete: { enabled: canDelete } },
    http: { addr: `127.0.0.1:${port}` },
    auth: { token: { realm: `${issuer}/v2/_token`, issuer, service, rootcertbundle } },
  }
  const file = join(folder, 'settings.yml')
  writeFileSync(file, JSON.stringify(settings))
  const { child, ended } = started('docker-registry', ['serve', file])
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  later(stop)
  const url = `http://127.0.0.1:${port}`
  await untilAnswering(url)
  return { url, stop }
}

async function untilAnswering(url: string): Promise<void> {
  const until = performance.now() + 30_000
  while ((await fetch(`${url}/v2/`).catch(() => undefined))?.status !== 401) {
    if (performance.now() > until) throw new Error(`no registry answers at ${url}`)
    await nextPoll(20)
  }
}

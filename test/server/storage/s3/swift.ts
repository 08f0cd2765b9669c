import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { freePort } from '../../registry/clients/distribution-cluster.ts'
import { hasPrograms } from '../../registry/clients/oci-programs.ts'
import { run, started } from '../../programs.ts'
import { testFolder, type Later } from '../../store/harness.ts'

const servers = ['account', 'container', 'object'] as const

/** Whether OpenStack Swift is installed and may be started; without it, its tests are skipped. */
export const hasSwift =
  process.getuid?.() === 0 &&
  hasPrograms(
    'the engine s3 on Swift',
    'memcached',
    'swift-ring-builder',
    'swift-proxy-server',
    ...servers.map(name => `swift-${name}-server`),
  )

/** The keys of the account. */
export const swiftKeys = { access_key_id: 'test:tester', secret_access_key: 'testing' } as const

const filters = [
  'catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth copy slo dlo',
  'versioned_writes symlink proxy-server',
].join(' ')

/** Returns the file of settings of the proxy, which speaks S3. */
const proxySettings = (folder: string, port: number, cachePort: number): string => `
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
swift_dir = ${folder}
[pipeline:main]
pipeline = ${filters}
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${cachePort}
[filter:s3api]
use = egg:swift#s3api
s3_acl = false
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = ${swiftKeys.secret_access_key} .admin
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
allow_object_versioning = true
${['catch_errors', 'gatekeeper', 'healthcheck', 'listing_formats', 'bulk', 'copy', 'slo', 'dlo', 'symlink']
  .map(name => `[filter:${name}]\nuse = egg:swift#${name}\n`)
  .join('')}`

const serverSettings = (folder: string, name: string, port: number): string => `
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
swift_dir = ${folder}
devices = ${join(folder, 'node')}
mount_check = false
fallocate_reserve = 0
recon_cache_path = ${folder}
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`

/** Starts a cluster of one node on ports of 127.0.0.1; `later` ends it. Returns the address of its S3. */
export async function startSwift(later: Later = onTestFinished): Promise<string> {
  const folder = testFolder(later)
  mkdirSync(join(folder, 'node', 'sdb1'), { recursive: true })
  const begin = (program: string, ...args: readonly string[]): void => {
    const { child, ended } = started(program, args)
    later(async () => {
      child.kill('SIGKILL')
      await ended
    })
  }
  const cachePort = await freePort()
  begin('memcached', '-u', 'nobody', '-l', '127.0.0.1', '-p', String(cachePort), '-m', '16')
  for (const name of servers) {
    const port = await freePort()
    const builder = join(folder, `${name}.builder`)
    await run('swift-ring-builder', [builder, 'create', '4', '1', '1'])
    await run('swift-ring-builder', [builder, 'add', `r1z1-127.0.0.1:${port}/sdb1`, '1'])
    await run('swift-ring-builder', [builder, 'rebalance'])
    const file = join(folder, `${name}.conf`)
    writeFileSync(file, serverSettings(folder, name, port))
    begin(`swift-${name}-server`, file)
  }
  const port = await freePort()
  const file = join(folder, 'proxy.conf')
  writeFileSync(file, proxySettings(folder, port, cachePort))
  begin('swift-proxy-server', file)
  const url = `http://127.0.0.1:${port}`
  const until = performance.now() + 300_000
  while ((await fetch(`${url}/healthcheck`).catch(() => undefined))?.status !== 200) {
    if (performance.now() > until) throw new Error(`no Swift answers at ${url}`)
    await nextPoll(100)
  }
  return url
}

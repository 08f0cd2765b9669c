import { join, resolve } from 'node:path'
import { nativeScanner } from '../../domain/registry/scan-results/scans-store.ts'
import { isUuid } from '../../runtime/formats.ts'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { listOf } from '../settings/lists.ts'
import { object, objectByKind } from '../settings/objects.ts'
import { duration, text } from '../settings/scalars.ts'
import { secret } from '../settings/secret.ts'
import { addedEngineFault, hostFault, httpUrlFault } from '../settings/text-faults.ts'

/** Returns the fault of a text that names no blob store. */
const blobStoreFault = (value: string): string | undefined =>
  /^file:\S/.test(value) || bucketIn(value) !== undefined
    ? undefined
    : 'must be file: and the path of a folder, or bucket: and the id of a bucket'

/** Returns the id of the bucket in a setting of a blob store; undefined for a folder. */
export function bucketIn(setting: string | undefined): string | undefined {
  const [, id = ''] = /^bucket:(.*)$/.exec(setting ?? '') ?? []
  return isUuid(id) ? id : undefined
}

/** Returns the folder of a blob store that is no bucket; without a setting, the folder in the data of the server. */
export const blobFolder = (setting: string | undefined, dataDir: string): string =>
  setting === undefined ? join(resolve(dataDir), 'registry') : resolve(setting.slice('file:'.length))

/** Returns the fault of a text that names no scanner beside the built-in one. */
const scannerNameFault = (value: string): string | undefined =>
  /^[a-z][a-z0-9-]{0,62}$/.test(value) && value !== nativeScanner
    ? undefined
    : `must have lower-case letters, digits and hyphens, and differ from ${nativeScanner}`

/** An engine whose content a cluster of another software stores and serves. */
const engine = objectByKind({
  distribution: {
    name: text({ fault: addedEngineFault }),
    url: text({ fault: httpUrlFault }),
    host: text({ fault: hostFault }),
  },
})

/** Returns the fault of engines of which two have one host: the host names the engine in tokens. */
function sharedHost(engines: readonly { readonly host: string }[]): string | undefined {
  const hosts = engines.map(({ host }) => host)
  return new Set(hosts).size < hosts.length ? 'must name each host once' : undefined
}

/** The settings of the registry. */
export const registrySettings = {
  'registry.host': text({ fault: hostFault })
    .otherwise('the host of `base_url`')
    .describe('the host in image references, with a port unless it is 443 or 80: where OCI clients reach `/v2/`'),
  'registry.blob_store': text({ fault: blobStoreFault })
    .otherwise('`file:<data_dir>/registry`')
    .describe(
      'the place of the bytes of blobs: `file:` and the path of a folder on this host, whose parent exists, or `bucket:` and the id of a bucket in the workspace `platform`',
    ),
  'registry.engines': listOf(engine, { uniqueBy: 'name', fault: sharedHost })
    .default([])
    .describe(
      'clusters of other registries, a list of `{"name", "kind": "distribution", "url", "host"}`: the engine, where this server and clients reach the cluster; tokens name its host',
    ),
  'registry.gc_grace': duration({ min: 0, max: 2_592_000_000 })
    .default(86_400_000)
    .describe('the time for which the registry keeps a blob that no repository has any more'),
  'registry.osv_dir': text()
    .otherwise('none: scans find packages and no vulnerabilities')
    .describe('the folder with the advisories of the scanner in the form of OSV: `*.json`, and `*.zip` of such files'),
  'registry.scanners': listOf(
    object({
      name: text({ fault: scannerNameFault }),
      url: text({ fault: httpUrlFault }),
      authorization: secret().optional,
    }),
    { uniqueBy: 'name' },
  )
    .default([])
    .describe('scanners beside the built-in one: `name`, `url` and header `authorization` of adapters of Harbor'),
} as const satisfies SettingDeclarations

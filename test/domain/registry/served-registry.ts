import { setTimeout as nextPoll } from 'node:timers/promises'
import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import { Ninefold } from '../../../output/client.ts'
import type { RepositoryInput } from '../../../output/registry/types.ts'
import type { BucketInput } from '../../../output/storage/types.ts'
import { bearer, createTransport } from '../../../runtime/transport.ts'
import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import type { InspectedPlace } from '../../../server/doctor/inspect-store.ts'
import { registrySettings } from '../../../server/registry/settings.ts'
import { serve, type RunningServer } from '../../../server/serve.ts'
import type { SettingValues } from '../../../server/settings/declarations.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { addTenant } from '../../areas/members.ts'
import { areaPlace } from '../../areas/test-platform.ts'
import { administratorFile, signIn } from '../../server/access/sign-in.ts'
import { openQuickIam } from '../../server/iam/quick-iam.ts'
import type { Later } from '../../server/store/harness.ts'
import { OciClient } from './oci-client.ts'

/** A platform in this process with a socket, a workspace `acme/web` and its administrator. */
export interface ServedRegistry {
  readonly url: string
  readonly place: InspectedPlace
  /** The API as the administrator of the platform. */
  readonly api: Ninefold
  /** The access token of the administrator. */
  readonly accessToken: string
  readonly organisation: string
  readonly workspace: string
  /** The registry as the administrator. */
  readonly oci: OciClient
  /** The lines for the person who starts the server. */
  readonly greeting: readonly string[]
  /** Ends the server before the end of the test. */
  close(): Promise<void>
  /** Creates a repository of the workspace, and returns its id. */
  repository(name: string, more?: Omit<RepositoryInput, 'name'>): Promise<string>
}

/** The setting of the engines of clusters. */
export type EngineSettings = SettingValues<typeof registrySettings>['registry.engines']

/** Further settings of a served registry. */
export interface ServedSettings {
  /** The setting `base_url`; absent: the address of the server. */
  readonly baseUrl?: string
  readonly engines?: EngineSettings
  /** Settings beside those of the other members. */
  readonly given?: GivenSettings
  /** The areas of the platform. */
  readonly mounted?: readonly AreaModule[]
}

type ServedAt = Pick<ServedSettings, 'baseUrl' | 'mounted'>

/** Serves a platform with a workspace on a free port of 127.0.0.1; `graceMs` is the setting `registry.gc_grace`. */
export async function servedRegistry(
  later: Later,
  graceMs = 0,
  { baseUrl, engines = [], given = new GivenSettings(), mounted = areas }: ServedSettings = {},
): Promise<ServedRegistry> {
  given.with(registrySettings['registry.gc_grace'], graceMs).with(registrySettings['registry.engines'], engines)
  const place = { ...(await areaPlace(mounted, later)), given }
  return registryAt(place, later, { mounted, ...(baseUrl !== undefined && { baseUrl }) })
}

/** Serves a registry as `servedRegistry` does, whose blobs lie in a bucket. */
export async function servedInBucket(later: Later, graceMs = 0): Promise<ServedRegistry> {
  const given = new GivenSettings().with(registrySettings['registry.gc_grace'], graceMs)
  const place = { ...(await areaPlace(areas, later)), given }
  const { close, url } = await serveRegistry(place, later)
  const bucket = await newBlobBucket(new Ninefold(createTransport({ baseUrl: url, token: await signIn(url) })))
  await close()
  given.with(registrySettings['registry.blob_store'], `bucket:${bucket}`)
  return registryAt(place, later)
}

/** Serves a registry at a place, and makes its workspace. */
async function registryAt(place: InspectedPlace, later: Later, at: ServedAt = {}): Promise<ServedRegistry> {
  const { close, greeting, url } = await serveRegistry(place, later, at)
  const token = renewedToken(url)
  const api = new Ninefold(createTransport({ baseUrl: url, authorize: bearer({ token }) }))
  const { organisation, workspace } = await addTenant(api, 'acme')
  const oci = new OciClient(url, token)
  const registry: ServedRegistry = {
    url,
    greeting,
    place,
    close,
    api,
    accessToken: await token(),
    organisation,
    workspace,
    oci,
    async repository(name, more = {}) {
      const made = await api.registry.createRepository({ workspace, engine: 'native', body: { name, ...more } })
      return made.resource_id
    },
  }
  await untilServing(registry)
  return registry
}

/** The age at which an access token is renewed, in milliseconds: it is valid for 15 minutes, which long runs exceed. */
const renewedMs = 600_000

/** Returns a function that returns a valid access token of the administrator. */
function renewedToken(url: string): () => Promise<string> {
  let [since, signedIn] = [performance.now(), signIn(url)]
  return () => {
    if (performance.now() - since > renewedMs) [since, signedIn] = [performance.now(), signIn(url)]
    return signedIn
  }
}

/** Serves a registry at a place until `close`, or until `later` closes it. */
export async function serveRegistry(
  place: InspectedPlace,
  later: Later,
  { baseUrl, mounted = areas }: ServedAt = {},
): Promise<RunningServer> {
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false, limits: { waitMs: 60_000 } }
  const bootstrap = { adminPasswordFile: administratorFile(place.dataDir) }
  const config = { baseUrl, isDev: true, logLevel: 'error' as const, http, bootstrap, ...place }
  const server = await serve(config, mounted, openQuickIam)
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= server.close())
  later(close)
  return { ...server, close }
}

/** Creates a bucket for blobs, and returns its id. */
export async function newBlobBucket({ storage }: Ninefold, more: Partial<BucketInput> = {}): Promise<string> {
  const body = { name: 'blobs', ...more }
  return (await storage.createBucket({ workspace: platformWorkspaceId, engine: 'native', body })).resource_id
}

/** Waits until the server serves blobs: it takes the lease of the content soon after its start. */
async function untilServing({ oci, repository }: ServedRegistry): Promise<void> {
  await repository('first')
  const until = performance.now() + 60_000
  while (!(await takesBytes(oci))) {
    if (performance.now() > until) throw new Error('the server does not serve blobs')
    await nextPoll(20)
  }
}

/** Whether a registry takes bytes of an upload, which is cancelled then. */
async function takesBytes(oci: OciClient): Promise<boolean> {
  const begun = await oci.send('/v2/acme/web/first/blobs/uploads/', { method: 'POST' })
  const location = begun.headers.get('location')
  if (location === null) return false
  const { status } = await oci.send(location, { method: 'PATCH', body: 'some bytes' })
  await oci.send(location, { method: 'DELETE' })
  return status === 202
}

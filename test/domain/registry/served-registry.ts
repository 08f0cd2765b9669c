import { setTimeout as nextPoll } from 'node:timers/promises'
import { Ninefold } from '../../../output/client.ts'
import type { RepositoryInput } from '../../../output/registry/types.ts'
import { createTransport } from '../../../runtime/transport.ts'
import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { registrySettings } from '../../../server/registry/settings.ts'
import { serve } from '../../../server/serve.ts'
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
  readonly place: StorePlace
  /** The API as the administrator of the platform. */
  readonly api: Ninefold
  /** The access token of the administrator. */
  readonly accessToken: string
  readonly organisation: string
  readonly workspace: string
  /** The registry as the administrator. */
  readonly oci: OciClient
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

/** Serves a platform with a workspace on a free port of 127.0.0.1; `graceMs` is the setting `registry.gc_grace`. */
export async function servedRegistry(
  later: Later,
  graceMs = 0,
  { baseUrl, engines = [], given = new GivenSettings(), mounted = areas }: ServedSettings = {},
): Promise<ServedRegistry> {
  const place = await areaPlace(mounted, later)
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false, limits: { waitMs: 60_000 } }
  const bootstrap = { adminPasswordFile: administratorFile(place.dataDir) }
  given.with(registrySettings['registry.gc_grace'], graceMs).with(registrySettings['registry.engines'], engines)
  const config = { baseUrl, isDev: true, logLevel: 'error' as const, http, bootstrap, given, ...place }
  const server = await serve(config, mounted, openQuickIam)
  later(() => server.close())
  const { url } = server
  const accessToken = await signIn(url)
  const api = new Ninefold(createTransport({ baseUrl: url, token: accessToken }))
  const { organisation, workspace } = await addTenant(api, 'acme')
  const oci = new OciClient(url, accessToken)
  const registry: ServedRegistry = {
    url,
    place,
    api,
    accessToken,
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

/** Waits until the server serves blobs: it takes the lease of the content soon after its start. */
async function untilServing({ oci, repository }: ServedRegistry): Promise<void> {
  await repository('first')
  const until = performance.now() + 60_000
  while ((await oci.send('/v2/acme/web/first/blobs/uploads/', { method: 'POST' })).status === 503) {
    if (performance.now() > until) throw new Error('the server does not serve blobs')
    await nextPoll(20)
  }
}

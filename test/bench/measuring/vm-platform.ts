import { Ninefold } from '../../../output/client.ts'
import { bearer } from '../../../runtime/transport.ts'
import { computeSettings } from '../../../server/compute/settings.ts'
import { areas } from '../../../server/areas.ts'
import { openIam } from '../../../server/iam/open.ts'
import type { StorePlace } from '../../../server/platform-store.ts'
import { GivenSettings } from '../../../server/settings/values.ts'
import { signingIn } from '../../areas/members.ts'
import { openPlatform } from '../../areas/open-platform.ts'
import { administrator, administratorFile } from '../../server/access/sign-in.ts'
import { caller, type Caller } from './tree-platform.ts'

/** A platform in this process, without a listener, as its administrator calls it. */
export interface VmPlatform {
  readonly api: Ninefold
  readonly call: Caller
  close(): Promise<void>
}

/** Opens a platform over a place, whose machines take `scale` of their time. */
export async function vmPlatform(place: StorePlace, scale: number): Promise<VmPlatform> {
  const bootstrap = { adminPasswordFile: administratorFile(place.dataDir) }
  const given = new GivenSettings().with(computeSettings['compute.sim_time_scale'], scale)
  const platform = await openPlatform({ config: { ...place, bootstrap, given }, areas, openAccess: openIam })
  const called = platform.from('192.0.2.7')
  const as = (token?: string): Ninefold => new Ninefold(platform.transport(token, { fetch: called }))
  const signIn = () => signingIn(as)(administrator.email, administrator.password)
  let signedIn = await signIn()
  const authorize = bearer({
    token: async () => signedIn.token,
    // A bench may take longer than a token is valid.
    refresh: async () => void (signedIn = await signIn()),
  })
  const api = new Ninefold(platform.transport(undefined, { fetch: called, authorize }))
  return { api, call: caller(platform.dispatch, signedIn.token), close: () => platform.close() }
}

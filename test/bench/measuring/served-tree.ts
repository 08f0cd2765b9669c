import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ninefold } from '../../../output/client.ts'
import { fetchHost } from '../../../runtime/hosts/fetch.ts'
import { createTransport } from '../../../runtime/transport.ts'
import { areas } from '../../../server/areas.ts'
import { compose } from '../../../server/compose.ts'
import { openIam } from '../../../server/iam/open.ts'
import { openStore, storeFile } from '../../../server/platform-store.ts'
import { administrator, administratorFile } from '../../server/access/sign-in.ts'
import { caller, fillTree, type Caller, type Tree, type TreeSize } from './tree-platform.ts'

/** The platform as `ninefold serve` composes it, without a listener, with one organisation of a certain size. */
export interface ServedTree extends Tree {
  /** The file of the store, or its address. */
  readonly place: string
  /** Makes a call as a user with a role at the organisation. */
  readonly call: Caller
  close(): Promise<void>
}

const baseUrl = 'http://platform.test'
const email = 'admin@corp.example'
const password = 'quiet-harbour-lantern'

const ignore = (): void => {}
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Fills a store, in PostgreSQL at `storeUrl` or otherwise in SQLite, serves it, and signs a user in. */
export async function servedTree(size: TreeSize, storeUrl?: string): Promise<ServedTree> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ninefold-served-'))
  const place = { dataDir, ...(storeUrl !== undefined && { storeUrl }) }
  const store = await openStore(place, areas)
  const tree = await fillTree(store, size)
  await store.close()
  const config = {
    ...place,
    baseUrl,
    http: { host: '127.0.0.1', port: 0, isPortOpen: false },
    bootstrap: { adminPasswordFile: administratorFile(dataDir) },
  }
  const platform = await compose(config, silent, areas, openIam)
  return {
    ...tree,
    place: storeUrl ?? storeFile(dataDir),
    call: caller(platform.dispatch, await signedIn(fetchHost(platform.dispatch), tree.organisation)),
    async close() {
      await platform.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** The access token of a user who administers an organisation and holds nothing else. */
async function signedIn(host: ReturnType<typeof fetchHost>, organisation: string): Promise<string> {
  const called: typeof fetch = (input, init) => host(new Request(input, init), { clientAddress: '192.0.2.7' })
  const as = (token?: string): Ninefold =>
    new Ninefold(createTransport({ baseUrl, fetch: called, ...(token !== undefined && { token }) }))
  const { access_token: token } = await as().iam.authenticate({ body: administrator })
  const { credential } = await as(token).iam.inviteUser({
    body: {
      email,
      delivery: 'RETURN',
      grants: [{ role_id: 'organisation-admin', scope_type: 'ORGANISATION', scope_id: organisation }],
    },
  })
  await as().iam.activateUser({ body: { token: credential?.token ?? '', password } })
  return (await as().iam.authenticate({ body: { email, password } })).access_token
}

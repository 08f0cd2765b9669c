import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ninefold } from '../../../output/client.ts'
import { areas } from '../../../server/areas.ts'
import { openIam } from '../../../server/iam/open.ts'
import { openStore, storeFile } from '../../../server/platform-store.ts'
import { addMember, roleAt, signingIn } from '../../areas/members.ts'
import { openPlatform, type OpenedPlatform } from '../../areas/open-platform.ts'
import { administrator, administratorFile } from '../../server/access/sign-in.ts'
import { caller, fillTree, type Caller, type Tree, type TreeSize } from './tree-platform.ts'

/** The platform as `ninefold serve` composes it, without a listener, with one organisation of a certain size. */
export interface ServedTree extends Tree {
  /** The path of the store's file, or the URL of its database. */
  readonly place: string
  /** Makes a call as a user with a role at the organisation. */
  readonly call: Caller
  close(): Promise<void>
}

/**
 * Fills a store, in PostgreSQL at `storeUrl` or otherwise in SQLite, serves the store, signs a user in, and returns the
 * served tree.
 */
export async function servedTree(size: TreeSize, storeUrl?: string): Promise<ServedTree> {
  const dataDir = mkdtempSync(join(tmpdir(), 'ninefold-served-'))
  const place = { dataDir, ...(storeUrl !== undefined && { storeUrl }) }
  const store = await openStore(place, areas)
  const tree = await fillTree(store, size)
  await store.close()
  const config = { ...place, bootstrap: { adminPasswordFile: administratorFile(dataDir) } }
  const platform = await openPlatform({ config, areas, openAccess: openIam })
  return {
    ...tree,
    place: storeUrl ?? storeFile(dataDir),
    call: caller(platform.dispatch, await signedIn(platform, tree.organisation)),
    async close() {
      await platform.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** Returns the access token of a user who administers an organisation and has no other role. */
async function signedIn(platform: OpenedPlatform, organisation: string): Promise<string> {
  const called = platform.from('192.0.2.7')
  const as = (token?: string): Ninefold => new Ninefold(platform.transport(token, { fetch: called }))
  const clients = { as, signedIn: signingIn(as) }
  const { api } = await clients.signedIn(administrator.email, administrator.password)
  const grants = [roleAt('organisation-admin', 'ORGANISATION', organisation)]
  return (await addMember(clients, api, { email: 'admin@corp.example', grants })).token
}

import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fetchHost } from '../../runtime/hosts/fetch.ts'
import { nodeHost, serverOptions } from '../../runtime/hosts/node.ts'
import { areas } from '../../server/areas.ts'
import { compose, type Platform } from '../../server/compose.ts'
import { storeCollections } from '../../server/platform-store.ts'
import { administratorFile, signIn } from '../server/access/sign-in.ts'
import { openQuickIam } from '../server/iam/quick-iam.ts'
import { testStoreUrl } from '../server/store/harness.ts'
import { memoryFolder } from '../memory-folder.ts'

/** The whole platform on an empty data folder. */
export interface ComposedPlatform extends Pick<Platform, 'dispatch'> {
  /** The header of the administrator, who has all permissions. */
  readonly authorization: string
  close(): Promise<void>
}

/** The same, listening on a free port of 127.0.0.1. */
export interface StartedPlatform {
  readonly baseUrl: string
  readonly authorization: string
  stop(): Promise<void>
}

const ignore = (): void => {}
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** The platform as `ninefold serve` composes it, without its log. */
export async function composePlatform(): Promise<ComposedPlatform> {
  const dataDir = await mkdtemp(join(memoryFolder, 'ninefold-conformance-'))
  const http = { host: '127.0.0.1', port: 0, isPortOpen: false }
  const undos: (() => void | Promise<void>)[] = []
  const storeUrl = await testStoreUrl(undo => void undos.push(undo), storeCollections(areas))
  const baseUrl = 'http://platform.test'
  const bootstrap = { adminPasswordFile: administratorFile(dataDir) }
  const platform = await compose({ baseUrl, dataDir, http, bootstrap, ...storeUrl }, silent, areas, openQuickIam)
  const host = fetchHost(platform.dispatch)
  return {
    dispatch: platform.dispatch,
    authorization: `Bearer ${await signIn(baseUrl, (input, init) => host(new Request(input, init)))}`,
    async close() {
      await platform.close()
      await rm(dataDir, { recursive: true })
      for (const undo of undos) await undo()
    },
  }
}

/** Starts it. */
export async function startPlatform(): Promise<StartedPlatform> {
  const { dispatch, authorization, close } = await composePlatform()
  const server = createServer(serverOptions, nodeHost(dispatch))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    authorization,
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await close()
    },
  }
}

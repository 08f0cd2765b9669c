import { createServer } from 'node:http'
import { nodeHost, serverOptions } from '../../runtime/hosts/node.ts'
import type { AreaModule } from '../../server/area.ts'
import { areas as allAreas } from '../../server/areas.ts'
import type { Platform } from '../../server/compose.ts'
import type { Config } from '../../server/config.ts'
import { silent } from '../areas/open-platform.ts'
import { testPlatform } from '../areas/test-platform.ts'

/** The platform in this process, composed over an empty data folder. */
export interface ComposedPlatform extends Pick<Platform, 'dispatch'> {
  /** The Authorization header of the administrator, a user with all permissions. */
  readonly authorization: string
  close(): Promise<void>
}

/** The whole platform, on a free port of 127.0.0.1. */
export interface StartedPlatform {
  readonly baseUrl: string
  readonly authorization: string
  stop(): Promise<void>
}

/**
 * Composes the platform as `ninefold serve` does with these settings of areas, without its log; returns the platform
 * with the administrator signed in.
 */
export async function composePlatform(
  config: Pick<Partial<Config>, 'given'> = {},
  areas: readonly AreaModule[] = allAreas,
): Promise<ComposedPlatform> {
  const undos: (() => void | Promise<void>)[] = []
  const { admin, dispatch } = await testPlatform({ areas, config, later: undo => void undos.push(undo), log: silent })
  return {
    dispatch,
    authorization: `Bearer ${(await admin()).token}`,
    async close() {
      for (const undo of undos.toReversed()) await undo()
    },
  }
}

/**
 * Composes the platform and serves it on a free port; returns the URL and the Authorization header of the
 * administrator.
 */
export async function startPlatform(...given: Parameters<typeof composePlatform>): Promise<StartedPlatform> {
  const { dispatch, authorization, close } = await composePlatform(...given)
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

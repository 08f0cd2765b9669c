import { RemoteFault } from '../../../../domain/storage/remote-store/remote-fault.ts'
import type { OpenRemoteStore, RemoteStore } from '../../../../domain/storage/remote-store/remote-store.ts'
import { areas } from '../../../../server/areas.ts'
import { storageArea } from '../../../../server/storage/area.ts'
import { hostCalls } from '../../../../server/storage/files/file-calls.ts'
import { openS3Store } from '../../../../server/storage/s3/s3-store.ts'
import { withFrequentWorker } from '../../../areas/kill/frequent-worker.ts'
import { afterTests } from '../../../undo.ts'
import { startGateway, type Gateway } from './gateway.ts'
import { remoteStorage, type RemoteStorage } from './remote-storage.ts'

type Request = keyof RemoteStore

/** A platform whose requests to an S3 store are interrupted after the store has done what they ask for. */
export interface Interrupted {
  readonly gateway: Gateway
  readonly remote: RemoteStorage
  /** The names of the requests after which a call stops as if its server had been killed. */
  readonly stopped: Set<Request>
  /** The names of the requests after which the store is killed before it answers. */
  readonly cut: Set<Request>
  /** The names of the requests that never reach the store. */
  readonly lost: Set<Request>
}

/** Starts a platform over a gateway; the worker of the stores runs ten times a second. */
export async function interruptedStorage(): Promise<Interrupted> {
  const gateway = await startGateway(afterTests)
  const [stopped, cut, lost] = [new Set<Request>(), new Set<Request>(), new Set<Request>()]
  const isOne = (names: ReadonlySet<Request>, name: string): boolean => [...names].some(each => each === name)
  const interrupted = (name: string, result: Promise<unknown>): Promise<unknown> => {
    if (isOne(stopped, name)) return result.then(() => new Promise(() => {}))
    if (!isOne(cut, name)) return result
    return result.then(() => {
      gateway.signal('SIGKILL')
      throw new RemoteFault('unavailable', 'the S3 store was killed before it answered')
    })
  }
  const open: OpenRemoteStore = async (place, credentials) =>
    new Proxy(await openS3Store(place, credentials), {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: readonly unknown[]): unknown => {
          if (isOne(lost, String(name)))
            return Promise.reject(new RemoteFault('unavailable', 'the S3 store does not answer'))
          const result: unknown = member.apply(target, args)
          return result instanceof Promise ? interrupted(String(name), result) : result
        }
      },
    })
  const own = withFrequentWorker(storageArea(hostCalls, open), 'storage.s3')
  const mounted = areas.map(area => (area.domain.name === 'storage' ? own : area))
  const remote = await remoteStorage(gateway.url, { later: afterTests, areas: mounted })
  return { gateway, remote, stopped, cut, lost }
}

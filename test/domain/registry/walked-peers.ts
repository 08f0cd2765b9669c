import type { Later } from '../../server/store/harness.ts'
import type { WalkedServer } from '../../areas/kill/serve-walked.ts'
import { FakeCluster } from './engines/fake-cluster.ts'
import { HarborFixture, reportOf } from './scans/harbor-fixture.ts'

/** The processes beside walked servers, which no kill ends. */
export interface WalkedPeers {
  readonly cluster: FakeCluster
  /** The addresses of the peers, keyed by their names. */
  readonly addresses: Readonly<Record<string, string>>
}

/** The name of the engine of the cluster, and of the scanner that is an adapter. */
export const [clusterEngine, adapterName] = ['far', 'adapter']

/** Serves a cluster, and an adapter whose reports have one finding and come with the second question. */
export async function servePeers(later: Later): Promise<WalkedPeers> {
  const [adapter, cluster] = [new HarborFixture(), new FakeCluster()]
  const finding = { id: 'CVE-1', package: 'openssl', version: '1', fix_version: '2', severity: 'Critical' }
  adapter.conduct = {
    pullsNothing: true,
    pending: { times: 1, after: '0' },
    report: { status: 200, body: reportOf([finding]) },
  }
  later(() => adapter.close())
  later(() => cluster.close())
  return { cluster, addresses: { adapter: await adapter.listen(), cluster: await cluster.listen() } }
}

/** Returns the settings of the peers of a walked server. */
export function peerSettings({ peers }: WalkedServer) {
  const url = (name: string): string => {
    const address = peers?.[name]
    if (address === undefined) throw new Error(`the walked server has no peer ${name}`)
    return address
  }
  return {
    engine: { kind: 'distribution', name: clusterEngine, url: url('cluster'), host: 'far.example' } as const,
    scanner: { name: adapterName, url: url('adapter') },
  }
}

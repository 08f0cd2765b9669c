import { testFolder, type Later } from '../../server/store/harness.ts'
import { peerOf, type WalkedServer } from '../../areas/kill/serve-walked.ts'
import { FakeCluster } from './engines/fake-cluster.ts'
import { HarborFixture, reportOf } from './scans/harbor-fixture.ts'
import { AdvisoryFolder } from './walked-advisories.ts'

/** The processes and the folder beside walked servers, which no kill ends. */
export interface WalkedPeers {
  readonly advisories: AdvisoryFolder
  readonly cluster: FakeCluster
  /** The addresses of the peers and the path of the folder, keyed by their names. */
  readonly addresses: Readonly<Record<string, string>>
}

/** The name of the engine of the cluster, and of the scanner that is an adapter. */
export const [clusterEngine, adapterName] = ['far', 'adapter']

/** Serves a cluster, and an adapter whose reports have one finding and come with the second question. */
export async function servePeers(later: Later): Promise<WalkedPeers> {
  const [adapter, advisories, cluster] = [new HarborFixture(), new AdvisoryFolder(testFolder(later)), new FakeCluster()]
  const finding = { id: 'CVE-1', package: 'openssl', version: '1', fix_version: '2', severity: 'Critical' }
  adapter.conduct = {
    pullsNothing: true,
    pending: { times: 1, after: '0' },
    report: { status: 200, body: reportOf([finding]) },
  }
  later(() => adapter.close())
  later(() => cluster.close())
  const addresses = { adapter: await adapter.listen(), cluster: await cluster.listen(), advisories: advisories.path }
  return { advisories, cluster, addresses }
}

/** Returns the settings of the peers of a walked server. */
export const peerSettings = (server: WalkedServer) => ({
  engine: { kind: 'distribution', name: clusterEngine, url: peerOf(server, 'cluster'), host: 'far.example' } as const,
  scanner: { name: adapterName, url: peerOf(server, 'adapter') },
})

import { expect } from 'vitest'
import type { ScanPolicyInput } from '../../../../output/registry/types.ts'
import { addTenant } from '../../../areas/members.ts'
import { layerOf } from '../scans/fake-scanner.ts'
import { scannedRegistry } from '../scans/scanned-registry.ts'
import { accepted, describeRaces, nextName, RacedRepository, type RegistryRace } from './registry-rounds.ts'

const registry = scannedRegistry({ hasUnlimitedQuotas: true })

const openssl = { id: 'DSA-1', package: 'openssl', severity: 'REGISTRY_SEVERITY_CRITICAL' } as const

/** Waits until an operation has ended. */
async function untilEnded(id: string): Promise<void> {
  const status = async () => (await registry().api.registry.getOperation({ id })).status
  await expect.poll(status).toMatch(/_(DONE|ERROR)$/)
}

/** A repository of one round with an image of the tag `v1`, which has a finding. */
async function scannable() {
  const { api, ended, oci, report, scanner, workspace } = registry()
  scanner.load([openssl])
  const round = await RacedRepository.made(registry())
  const digest = await round.push(layerOf('openssl@1'))
  const begun = new Set<string>()
  return {
    round,
    digest,
    at: { workspace, engine: 'native' },
    report: () => report(round.id, 'v1'),
    /** Scans the image, and waits for the end of the operation. */
    scanned: () => ended(round.id, 'v1'),
    /** Begins a scan of the image. */
    async scan() {
      const body = { workspace, repository: round.id, reference: digest, body: {} }
      begun.add((await api.registry.scanArtifact(body)).id)
    },
    /** Waits until each scan that was begun has ended. Returns their number. */
    async ends(): Promise<number> {
      for (const id of begun) await untilEnded(id)
      return begun.size
    },
    pull: () => accepted(oci.send(`/v2/${round.name}/manifests/${digest}`)),
    /** Creates a scan policy of the repository, and returns functions on it. */
    async policy(body: Partial<ScanPolicyInput>) {
      const [, , own = ''] = round.name.split('/')
      const whole = { name: own, repository_patterns: [own], ...body }
      const { resource_id: id } = await api.registry.createScanPolicy({ workspace, engine: 'native', body: whole })
      const place = { workspace, engine: 'native', id }
      return {
        change: (change: Partial<ScanPolicyInput>) =>
          api.registry.updateScanPolicy({ ...place, update_mask: Object.keys(change).join(','), body: change }),
        remove: () => api.registry.deleteScanPolicy(place),
      }
    },
  }
}

const blocks = { block_pull: { min_severity: 'REGISTRY_SEVERITY_HIGH' as const } }
const [blocked, passes] = ['OK, VULNERABLE_ARTIFACT_BLOCKED', 'OK, OK']

const races: readonly RegistryRace[] = [
  {
    name: 'a scan and the deletion of its artifact',
    async prepare() {
      const { digest, ends, round, scan } = await scannable()
      return { calls: [scan, () => round.remove(`manifests/${digest}`)], check: async () => void (await ends()) }
    },
    documented: ['OK, OK', 'ARTIFACT_NOT_FOUND, OK'],
  },
  {
    name: 'a scan in progress and the deletion of its artifact',
    async prepare() {
      const { digest, ends, round, scan } = await scannable()
      const { promise, resolve } = Promise.withResolvers<void>()
      registry().scanner.gate = promise
      await scan()
      return {
        calls: [async () => resolve(), () => round.remove(`manifests/${digest}`)],
        check: async () => void (await ends()),
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a scan and the forced deletion of its repository',
    async prepare() {
      const { ends, round, scan } = await scannable()
      return { calls: [scan, () => round.delete(true)], check: async () => void (await ends()) }
    },
    // The deletion may take the artifact after the scan has found its repository.
    documented: ['OK, OK', 'REPOSITORY_NOT_FOUND, OK', 'REPOSITORY_DELETING, OK', 'ARTIFACT_NOT_FOUND, OK'],
  },
  {
    name: 'a scan in progress and the forced deletion of its repository',
    async prepare() {
      const { ends, round, scan } = await scannable()
      const { promise, resolve } = Promise.withResolvers<void>()
      registry().scanner.gate = promise
      await scan()
      return { calls: [async () => resolve(), () => round.delete(true)], check: async () => void (await ends()) }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a scan in progress and the suspension of its workspace',
    async prepare() {
      const { api, oci, scanner } = registry()
      scanner.load([openssl])
      const name = nextName()
      const { organisation, workspace } = await addTenant(api, name)
      const body = { name: 'app' }
      const { resource_id: repository } = await api.registry.createRepository({ workspace, engine: 'native', body })
      await oci.pushImage(`${name}/web/app`, 'v1', layerOf('openssl@1'))
      const { promise, resolve } = Promise.withResolvers<void>()
      scanner.gate = promise
      const { id } = await api.registry.scanArtifact({ workspace, repository, reference: 'v1', body: {} })
      return {
        calls: [
          async () => resolve(),
          async () => {
            const begun = await api.taxonomy.suspendWorkspace({ organisation, id: workspace, body: {} })
            await api.taxonomy.waitOperation(begun)
          },
        ],
        check: () => untilEnded(id),
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'two scans of one artifact',
    async prepare() {
      const { ends, report, scan } = await scannable()
      const { promise, resolve } = Promise.withResolvers<void>()
      registry().scanner.gate = promise
      return {
        calls: [scan, scan],
        async check() {
          resolve()
          expect(await ends()).toBe(1)
          expect(await report()).toMatchObject({ state: 'REGISTRY_SCAN_STATE_SUCCEEDED' })
        },
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'the change of a policy and the end of a scan',
    async prepare() {
      const { policy, pull, report, scanned } = await scannable()
      const { change } = await policy({})
      return {
        calls: [() => change(blocks), scanned],
        async check() {
          expect(await report()).toMatchObject({ state: 'REGISTRY_SCAN_STATE_SUCCEEDED', blocked: true })
          await expect(pull()).rejects.toMatchObject({ reason: 'VULNERABLE_ARTIFACT_BLOCKED' })
        },
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'the deletion of a policy and the end of a scan',
    async prepare() {
      const { policy, pull, report, scanned } = await scannable()
      const { remove } = await policy(blocks)
      return {
        calls: [remove, scanned],
        async check() {
          expect(await report()).toMatchObject({ state: 'REGISTRY_SCAN_STATE_SUCCEEDED', blocked: false })
          await pull()
        },
      }
    },
    documented: ['OK, OK'],
  },
  {
    name: 'a policy that begins to block and a pull',
    async prepare() {
      const { policy, pull, scanned } = await scannable()
      await scanned()
      const { change } = await policy({})
      return {
        calls: [() => change(blocks), pull],
        check: () => expect(pull()).rejects.toMatchObject({ reason: 'VULNERABLE_ARTIFACT_BLOCKED' }),
      }
    },
    documented: [blocked, passes],
  },
  {
    name: 'the first scan of an artifact and a pull that a policy allows of scanned artifacts alone',
    async prepare() {
      const { policy, pull, scanned } = await scannable()
      await policy({ block_pull: { block_unscanned: true } })
      return { calls: [scanned, pull], check: async () => void (await pull()) }
    },
    documented: [blocked, passes],
  },
  {
    name: 'a push to a policy of automatic scans and the deletion of the policy',
    async prepare() {
      const { policy, round } = await scannable()
      const { remove } = await policy({ trigger: 'REGISTRY_SCAN_TRIGGER_ON_PUSH' })
      const image = await registry().oci.image(round.name, layerOf('openssl@2'))
      return { calls: [() => round.pushManifest('v2', image), remove] }
    },
    documented: ['OK, OK'],
  },
]

describeRaces(registry, races)

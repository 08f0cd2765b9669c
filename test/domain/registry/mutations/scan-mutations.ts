import type { Ninefold } from '../../../../output/client.ts'
import type { ScanPolicyInput } from '../../../../output/registry/types.ts'
import { OperationFailed } from '../../../../runtime/operations.ts'
import type { Random } from '../../../areas/random.ts'
import { outcomeOf } from '../../outcomes.ts'
import { digestOf, faultOf, type OciClient } from '../oci-client.ts'
import { bomb, vulnerable, type NamedModel } from './content-mutations.ts'
import type { ModelScan, RepositoryModel } from './repository-model.ts'
import type { ModelScanPolicy, WorkspaceModel } from './workspace-model.ts'

/** The largest number of scan policies. */
const mostPolicies = 4

/** The parts of scans that long runs replace, because tokens expire. */
export interface ScanClients {
  readonly api: Ninefold
  readonly oci: OciClient
}

/** Random scans, changes of scan policies and pulls, which a model makes too. */
export class ScanMutations {
  clients: ScanClients
  readonly #workspace: WorkspaceModel
  readonly #random: Random
  readonly #at: { readonly workspace: string; readonly engine: string }
  #made = 0

  constructor(clients: ScanClients, model: WorkspaceModel, random: Random, workspace: string) {
    this.clients = clients
    this.#workspace = model
    this.#random = random
    this.#at = { workspace, engine: 'native' }
  }

  /** Creates the policy of the lowest priority, by which no scan makes a bill of materials, and which stays. */
  begin(): Promise<void> {
    return this.#create({ pattern: '*', priority: -1, blocks: 'nothing' })
  }

  /** Scans an artifact, and waits for the end. */
  async scan({ id, model }: NamedModel): Promise<void> {
    const reference = this.#random.oneOf([...model.artifacts.keys(), digestOf('no manifest')])
    const { registry } = this.clients.api
    const call = registry.scanArtifact({ ...this.#at, repository: id, reference, body: {} })
    const ended = call.then(begun => registry.waitOperation(begun))
    const outcome = await outcomeOf(ended).catch((error: unknown) => {
      if (error instanceof OperationFailed && error.reason !== undefined) return error.reason
      throw error
    })
    const { reasons, scans } = expectedScan(model, reference)
    this.#workspace.record('scan', outcome, reasons)
    for (const [digest, scan] of scans) model.scans.set(digest, scan)
  }

  /** Pulls a manifest by its digest. */
  async pull({ model, name }: NamedModel): Promise<void> {
    const digest = this.#random.oneOf([...model.artifacts.keys(), digestOf('no manifest')])
    const answer = await this.clients.oci.send(`/v2/${name}/manifests/${digest}`)
    const outcome = answer.status === 200 ? 'OK' : (faultOf(answer).split(' ').at(-1) ?? '')
    const reasons = model.artifacts.has(digest) ? [] : ['MANIFEST_UNKNOWN']
    if (this.isBlocked({ model, name }, digest)) reasons.push('VULNERABLE_ARTIFACT_BLOCKED')
    this.#workspace.record('pull', outcome, reasons)
  }

  /** Creates, changes or deletes a scan policy. */
  async changePolicies({ name }: NamedModel): Promise<void> {
    const [base, ...others] = this.#workspace.scanPolicies
    const own = name.split('/').at(-1) ?? ''
    const wanted = {
      pattern: this.#random.oneOf(['*', own]),
      priority: this.#random.below(3),
      blocks: this.#random.oneOf(['nothing', 'unscanned', 'critical'] as const),
    }
    if (!base || others.length === 0 || (others.length < mostPolicies && this.#random.percent(40)))
      return this.#create(wanted)
    const { id } = this.#random.oneOf(others)
    const { registry } = this.clients.api
    if (this.#random.percent(40)) {
      await registry.deleteScanPolicy({ ...this.#at, id })
      this.#workspace.scanPolicies = [base, ...others.filter(other => other.id !== id)]
      return
    }
    const update_mask = 'repository_patterns,priority,block_pull'
    await registry.updateScanPolicy({ ...this.#at, id, update_mask, body: bodyOf(wanted) })
    this.#workspace.scanPolicies = [base, ...others.map(other => (other.id === id ? { id, ...wanted } : other))]
  }

  /** Whether a scan policy blocks the pull of an artifact. */
  isBlocked({ model, name }: Pick<NamedModel, 'model' | 'name'>, digest: string): boolean {
    const own = name.split('/').at(-1) ?? ''
    const matching = this.#workspace.scanPolicies.filter(({ pattern }) => pattern === '*' || pattern === own)
    const highest = Math.max(...matching.map(({ priority }) => priority))
    const policy = matching.find(({ priority }) => priority === highest)
    const artifact = model.artifacts.get(digest)
    if (!policy || !artifact) return false
    const critical = model.scans.get(digest)?.critical
    if (critical === undefined) return policy.blocks === 'unscanned' && artifact.kind !== 'ARTIFACT'
    return policy.blocks === 'critical' && critical > 0
  }

  async #create(wanted: Omit<ModelScanPolicy, 'id'>): Promise<void> {
    const body = { name: `scan-policy-${(this.#made += 1)}`, generate_sbom: false, ...bodyOf(wanted) }
    const { resource_id: id } = await this.clients.api.registry.createScanPolicy({ ...this.#at, body })
    this.#workspace.scanPolicies = [...this.#workspace.scanPolicies, { id, ...wanted }]
  }
}

const bodyOf = ({ blocks, pattern, priority }: Omit<ModelScanPolicy, 'id'>) => ({
  repository_patterns: [pattern],
  priority,
  ...(blocks !== 'nothing' && { block_pull: blockOf(blocks) }),
})

const blockOf = (blocks: 'unscanned' | 'critical'): NonNullable<ScanPolicyInput['block_pull']> =>
  blocks === 'unscanned' ? { block_unscanned: true } : { min_severity: 'REGISTRY_SEVERITY_CRITICAL' }

interface ExpectedScan {
  /** The reasons of the refusal or the failure. */
  readonly reasons: readonly string[]
  /** The new scans, keyed by digest. */
  readonly scans: ReadonlyMap<string, ModelScan>
}

/** Returns what a scan of an artifact does: an index scans its images in the order of their digests until one fails. */
function expectedScan(model: RepositoryModel, reference: string): ExpectedScan {
  const scans = new Map<string, ModelScan>()
  const artifact = model.artifacts.get(reference)
  if (!artifact) return { reasons: ['ARTIFACT_NOT_FOUND'], scans }
  const before = (digest: string) => model.scans.get(digest)?.critical
  const images = [...model.withChildren(reference)]
    .toSorted()
    .flatMap(digest => model.artifacts.get(digest) ?? [])
    .filter(({ kind }) => kind === 'IMAGE')
  if (images.length === 0) {
    scans.set(reference, { state: 'UNSUPPORTED', critical: before(reference) })
    return { reasons: ['SCAN_UNSUPPORTED'], scans }
  }
  for (const { digest, layers } of images) {
    // An index takes the report of an image that was scanned before.
    if (digest !== reference && before(digest) !== undefined) continue
    if (layers.includes(bomb)) {
      for (const failed of [digest, reference]) scans.set(failed, { state: 'FAILED', critical: before(failed) })
      return { reasons: ['LAYER_LIMIT_EXCEEDED'], scans }
    }
    const critical = layers.filter(text => text.includes(`${vulnerable}@`)).length
    scans.set(digest, { state: 'SUCCEEDED', critical })
  }
  const worst = Math.max(...images.map(({ digest }) => scans.get(digest)?.critical ?? before(digest) ?? 0))
  scans.set(reference, { state: 'SUCCEEDED', critical: worst })
  return { reasons: [], scans }
}

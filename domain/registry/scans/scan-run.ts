import { formatMillis } from '../../../runtime/timestamps.ts'
import { again, done, type StepContext, type StepOutcome } from '../../ports/procedures.ts'
import type { Transaction } from '../../ports/store.ts'
import { artifactCollection, rowOf, type StoredArtifact } from '../artifacts/artifacts-store.ts'
import type { RegistryEnvironment } from '../environment.ts'
import type { ScanOrder } from './begin-scan.ts'
import { endWithout, lockReport, lockScan, succeed, type NewResult, type ReportPlace } from './end-scan.ts'
import { externalResult, type ExternalProgress } from './external-result.ts'
import { nativeImage } from './native-image.ts'
import { indexResult } from './index-result.ts'
import { advisoriesOf, isBuiltIn } from './native-result.ts'
import { absentScanner, artifactGone, databaseMissing, unsupported } from './scan-fault.ts'
import { isInProgress, newScan, putScan } from './scan-rows.ts'
import { scannedImages } from './scanned-images.ts'
import type { Made } from './scanning-parts.ts'
import { nativeScanner, scanCollection, type StoredScan } from '../scan-results/scans-store.ts'

/** The time after which a scan looks again whether the scan of a child has ended, in milliseconds. */
const childMs = 1000

/** The context of the step that scans. */
export type ScanContext = StepContext<ScanOrder, ExternalProgress>

/** One run of the step that scans an artifact. A run repeats what a killed run has begun. */
export class ScanRun {
  readonly #environment: RegistryEnvironment
  readonly #context: ScanContext

  constructor(environment: RegistryEnvironment, context: ScanContext) {
    this.#environment = environment
    this.#context = context
  }

  /** Scans the artifact of the order; of an index, each image that is present. Throws a `ScanFault` for a fault. */
  async run(): Promise<StepOutcome> {
    const { input, store } = this.#context
    const { digest, repository } = input
    const artifact = (await store.get(artifactCollection, rowOf(repository, digest)))?.value
    if (!artifact) throw artifactGone(repository, digest)
    const scan = await this.#start(artifact)
    const images = await scannedImages(store, repository, digest)
    if (images.length === 0) throw unsupported()
    if (artifact.kind === 'REGISTRY_ARTIFACT_KIND_IMAGE') {
      const made = await this.#image(scan, artifact)
      return made.kind === 'again' ? made : this.#end(scan, made)
    }
    for (const image of images) {
      const waiting = await this.#child(scan, image)
      if (waiting) return waiting
    }
    return this.#end(scan, await this.#index(scan, artifact, images))
  }

  /** Makes the report of the order RUNNING, and returns its scan. */
  #start({ repository_id, row_id, workspace_id }: StoredArtifact): Promise<StoredScan> {
    const { clock, input, tx } = this.#context
    const place = { id: row_id, report_id: input.report, repository_id, workspace_id }
    return tx(async inner => {
      const stored = await lockReport(inner, this.#environment.taxonomy, place)
      if (!stored) throw artifactGone(repository_id, input.digest)
      if (stored.value.state !== 'REGISTRY_SCAN_STATE_PENDING') return stored.value
      const state = 'REGISTRY_SCAN_STATE_RUNNING'
      const running: StoredScan = { ...stored.value, state, start_time: formatMillis(clock.now()) }
      await putScan(inner, stored, running)
      return running
    })
  }

  /** Returns the result of an image whose scan is RUNNING, or the time after which to ask its scanner again. */
  async #image(scan: StoredScan, image: StoredArtifact): Promise<Made | Extract<StepOutcome, { kind: 'again' }>> {
    const { input } = this.#context
    const scanner = this.#environment.scanners.get(input.scanner)
    if (scanner === undefined) throw absentScanner(input.scanner)
    const parts = { environment: this.#environment, context: this.#context, scan, artifact: image }
    if (scanner !== 'native') return externalResult(scanner, parts)
    return { kind: 'made', made: await nativeImage(parts) }
  }

  async #index(scan: StoredScan, artifact: StoredArtifact, images: readonly StoredArtifact[]): Promise<Made> {
    const children: StoredScan[] = []
    for (const { row_id } of images) {
      const child = (await this.#context.store.get(scanCollection, row_id))?.value
      if (child) children.push(child)
    }
    const parts = { environment: this.#environment, context: this.#context, scan, artifact }
    return { kind: 'made', made: await indexResult(parts, children) }
  }

  /** Scans an image of an index, unless its report is as a new one would be. Returns when to run again, if so. */
  async #child(index: StoredScan, image: StoredArtifact): Promise<StepOutcome | undefined> {
    const { operationId = '', store } = this.#context
    const before = (await store.get(scanCollection, image.row_id))?.value
    if (before && isInProgress(before) && before.operation_id !== operationId) return again(childMs)
    if (before && this.#isFresh(before, index)) return undefined
    const scan = await this.#startChild(image)
    if (!scan) return again(childMs)
    const made = await this.#image(scan, image)
    if (made.kind === 'again') return made
    await this.#context.tx(tx => this.#put(tx, scan, made.made))
    return undefined
  }

  #isFresh(child: StoredScan, { start_time = '' }: StoredScan): boolean {
    if (isInProgress(child) || !child.result) return false
    if (this.#context.input.scanner !== nativeScanner)
      return child.result.scanner.name === this.#context.input.scanner && (child.end_time ?? '') >= start_time
    const state = this.#environment.advisories.state()
    return isBuiltIn(child.result.scanner) && child.advisories === advisoriesOf(state)
  }

  /** Begins the scan of a child in the operation of its index; undefined while another operation scans the child. */
  #startChild(image: StoredArtifact): Promise<StoredScan | undefined> {
    const { clock, input, operationId = '', tx } = this.#context
    const { taxonomy } = this.#environment
    const report_id = clock.newId()
    return tx(async inner => {
      const stored = await lockScan(inner, taxonomy, { ...image, id: image.row_id })
      if (stored && isInProgress(stored.value))
        return stored.value.operation_id === operationId ? stored.value : undefined
      if (!(await inner.exists(artifactCollection, { row_id: image.row_id })))
        throw artifactGone(image.repository_id, image.digest)
      const begun = newScan(image, stored?.value, { report_id, operation_id: operationId, scanner_name: input.scanner })
      const state = 'REGISTRY_SCAN_STATE_RUNNING'
      const running: StoredScan = { ...begun, state, start_time: formatMillis(clock.now()) }
      await putScan(inner, stored, running)
      return running
    })
  }

  /** Ends the report of the order; without advisories, the report has the packages, and the scan ends in error. */
  async #end(scan: StoredScan, { made }: Made): Promise<StepOutcome> {
    if (made.result.counts) return done(tx => this.#put(tx, scan, made))
    await this.#context.tx(tx => this.#put(tx, scan, made))
    throw databaseMissing()
  }

  async #put(tx: Transaction, place: ReportPlace, made: NewResult): Promise<void> {
    const stored = await lockReport(tx, this.#environment.taxonomy, place)
    if (!stored) return
    const now = this.#context.clock.now()
    if (made.result.counts) await succeed(tx, stored, made, now)
    else await endWithout(tx, stored, made, databaseMissing().error, now)
  }
}

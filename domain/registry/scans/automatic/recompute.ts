import type { Turn } from '../../../ports/workers.ts'
import type { RegistryEnvironment } from '../../environment.ts'
import type { AdvisoryState, Finding } from '../../scanning/advisories.ts'
import { lockReport, succeed, withResult } from '../end-scan.ts'
import { countFindings, sortFindings } from '../../scan-results/findings.ts'
import { mergedFindings } from '../merge-children.ts'
import { advisoriesOf, builtIn } from '../native-result.ts'
import { findingsOf, packagesOf, writeResult } from '../../scan-results/result-rows.ts'
import { isInProgress, putScan } from '../scan-rows.ts'
import { scannedImages } from '../scanned-images.ts'
import { scanCollection, type StoredScan } from '../../scan-results/scans-store.ts'

/** The time after which the rest is left to the next run of the worker, in milliseconds: other tasks wait meanwhile. */
const sliceMs = 2000

/**
 * Compares the packages of all reports of the built-in scanner with the advisories again that were loaded since
 * (registry.md 4.7), first those of images, then those of indexes, which follow from them.
 */
export async function recomputeReports(environment: RegistryEnvironment, turn: Turn): Promise<void> {
  const { advisories, store } = environment
  const state = advisories.state()
  if (!state) return
  const until = performance.now() + sliceMs
  const stale = { noneOf: ['', advisoriesOf(state)] }
  for (const kind of ['IMAGE', 'INDEX'])
    for await (const { value } of store.each(scanCollection, { kind, advisories: stale })) {
      if (turn.signal.aborted || advisories.state() !== state || performance.now() > until) return
      if (!isInProgress(value)) await recompute(environment, turn, value, state)
    }
}

async function recompute(
  { advisories, clock, store, taxonomy }: RegistryEnvironment,
  { signal, tx }: Turn,
  scan: StoredScan,
  state: AdvisoryState,
): Promise<void> {
  const { result } = scan
  if (!result) return
  const children = scan.kind === 'INDEX' ? await childrenOf(store, scan) : undefined
  // An image whose report is behind, since it is being scanned, changes the report of the index once more.
  if (children?.some(child => isBehind(child, state))) return
  const findings = children
    ? await mergedFindings(store, children)
    : await sortFindings(await advisories.match(await packagesOf(store, scan.id, result.inventory), signal))
  const isSame = result.counts !== undefined && (await areEqual(findings, findingsOf(store, scan.id, result.id)))
  const id = isSame ? result.id : clock.newId()
  if (!isSame) {
    const isMarked = await tx(async inner => {
      const stored = await lockReport(inner, taxonomy, scan)
      if (!stored || isInProgress(stored.value)) return false
      await inner.update(scanCollection, scan.id, { ...stored.value, is_untidy: true }, stored.version)
      return true
    })
    if (!isMarked || !(await writeResult(tx, scan, { findings: { id, list: findings } }))) return
  }
  const next = { ...result, id, scanner: builtIn(state), counts: countFindings(findings) }
  await tx(async inner => {
    const stored = await lockReport(inner, taxonomy, scan)
    if (!stored || isInProgress(stored.value) || stored.value.result?.id !== result.id) return
    const made = { advisories: advisoriesOf(state), result: next }
    // A scan that failed for want of advisories has its findings now.
    if (stored.value.error?.reason === 'VULNERABILITY_DATABASE_MISSING')
      await succeed(inner, stored, made, Date.parse(stored.value.end_time ?? ''))
    else await putScan(inner, stored, withResult(stored.value, made))
  })
}

/** Returns whether a report of the built-in scanner follows other advisories than these. */
const isBehind = ({ advisories }: StoredScan, state: AdvisoryState): boolean =>
  advisories !== '' && advisories !== advisoriesOf(state)

async function childrenOf(
  store: RegistryEnvironment['store'],
  { digest, repository_id }: StoredScan,
): Promise<readonly StoredScan[]> {
  const children: StoredScan[] = []
  for (const { row_id } of await scannedImages(store, repository_id, digest)) {
    const child = (await store.get(scanCollection, row_id))?.value
    if (child) children.push(child)
  }
  return children
}

async function areEqual(list: readonly Finding[], other: AsyncIterable<Finding>): Promise<boolean> {
  let at = 0
  for await (const finding of other) {
    if (at >= list.length || JSON.stringify(list[at]) !== JSON.stringify(finding)) return false
    at += 1
  }
  return at === list.length
}

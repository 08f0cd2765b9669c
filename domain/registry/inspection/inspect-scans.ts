import { canonical } from '../../../runtime/validation.ts'
import type { Finding, Inspection } from '../../ports/inspection.ts'
import type { Collection, Reader } from '../../ports/store.ts'
import { workspaceScope } from '../../resources/kind.ts'
import { artifactCollection } from '../artifacts/artifacts-store.ts'
import { nextScanTime } from '../scan-policies/next-scan-time.ts'
import { scanPolicyKind } from '../scan-policies/scan-policy-kind.ts'
import { scanPolicyCollection } from '../scan-policies/scan-policies-store.ts'
import { scanning } from '../scans/begin-scan.ts'
import { countFindings, sortFindings } from '../scan-results/findings.ts'
import { overviewOf } from '../scans/overview.ts'
import { isInProgress } from '../scans/scan-rows.ts'
import {
  findingsCollection,
  packagesCollection,
  scanCollection,
  waitingCollection,
  type ResultPart,
  type StoredScan,
} from '../scan-results/scans-store.ts'
import type { Finding as Vulnerable } from '../scanning/advisories.ts'
import { deletingRepositories } from './deleting-repositories.ts'

type Findings = AsyncGenerator<Finding, void, undefined>

const resourceType = 'registry.scans'

/**
 * Checks that artifacts show their scans, that reports have the findings and packages which they count, that scans in
 * progress are worked on, and that nothing is left over.
 */
export async function* inspectScans(inspection: Inspection): Findings {
  const { reader } = inspection
  const deleting = await deletingRepositories(reader)
  for await (const { id, value } of reader.each(artifactCollection)) {
    if (deleting.has(value.repository_id)) continue
    const scan = (await reader.get(scanCollection, id))?.value
    if (canonical(value.scan_overview) !== canonical(overviewOf(scan)))
      yield { resourceType: 'registry.artifacts', id, message: 'shows another scan than the newest' }
  }
  for await (const { id, value } of reader.each(scanCollection)) {
    if (deleting.has(value.repository_id)) continue
    if (!(await reader.get(artifactCollection, id)))
      yield { resourceType, id, message: 'is the scan of an artifact that does not exist' }
    for (const message of await resultFaults(reader, value)) yield { resourceType, id, message }
    const message = await workFault(inspection, value)
    if (message !== undefined) yield { resourceType, id, message }
  }
  yield* leftRows(reader, deleting)
  yield* scheduleFaults(reader)
}

async function resultFaults(reader: Reader, { id, result }: StoredScan): Promise<readonly string[]> {
  if (!result) return []
  const faults: string[] = []
  const findings: Vulnerable[] = []
  for await (const { value } of reader.each(findingsCollection, { scan: id, result: result.id }))
    findings.push(...value.findings)
  if (result.counts && canonical(countFindings(findings)) !== canonical(result.counts))
    faults.push(`counts other findings than the ${findings.length} that it has`)
  const sorted = await sortFindings(findings)
  if (sorted.some((finding, i) => finding !== findings[i])) faults.push('has findings in another order than reports')
  let packages = 0
  for await (const { value } of reader.each(packagesCollection, { scan: id, result: result.inventory }))
    packages += value.packages.length
  if (result.inventory !== '' && packages !== result.package_count)
    faults.push(`has package_count ${result.package_count}; it has ${packages} packages`)
  return faults
}

async function workFault({ workAt }: Inspection, scan: StoredScan): Promise<string | undefined> {
  if (!isInProgress(scan)) return undefined
  const works = await workAt(workspaceScope(scan.workspace_id))
  return works.some(({ kind }) => kind === scanning) ? undefined : 'is in progress, and no work will end it'
}

async function* leftRows(reader: Reader, deleting: ReadonlySet<string>): Findings {
  yield* leftParts(reader, findingsCollection, deleting)
  yield* leftParts(reader, packagesCollection, deleting)
  for await (const { id, value } of reader.each(waitingCollection))
    if (!deleting.has(value.repository_id) && !(await reader.get(artifactCollection, id)))
      yield { resourceType, id, message: 'waits for the scan of an artifact that does not exist' }
}

async function* leftParts<T extends ResultPart>(
  reader: Reader,
  collection: Collection<T>,
  deleting: ReadonlySet<string>,
): Findings {
  for await (const { id, value } of reader.each(collection)) {
    if (deleting.has(value.repository_id)) continue
    const scan = (await reader.get(scanCollection, value.scan))?.value
    const isNamed = scan?.result?.id === value.result || scan?.result?.inventory === value.result
    if (!scan || !(isNamed || scan.is_untidy)) yield { resourceType, id, message: 'belongs to no result of a scan' }
  }
}

async function* scheduleFaults(reader: Reader): Findings {
  for await (const { id, value } of reader.each(scanPolicyCollection)) {
    const { next_scan_time: next } = value
    const expected = nextScanTime(value, next === '' ? 0 : Date.parse(next) - 1)
    if ((next === '') !== (expected === '') || (next !== '' && next !== expected))
      yield {
        resourceType: scanPolicyKind.type,
        id,
        message: `scans next at ${next || 'no time'}, unlike its schedule`,
      }
  }
}

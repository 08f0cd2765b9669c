import type { GetScanReportRequest, ScanReport, Vulnerability } from '../../../output/registry/types.ts'
import type { CallContext } from '../../../runtime/context.ts'
import { compareText } from '../../../runtime/filter/fields.ts'
import type { ListFields, SortKey } from '../../../runtime/filter/types.ts'
import { listQuery, nextToken, type ListQuery } from '../../../runtime/pagination.ts'
import type { Reader } from '../../ports/store.ts'
import { nextTurn } from '../../resources/next-turn.ts'
import { absentArtifact } from '../artifact-calls/get-artifact.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import type { RegistryEnvironment } from '../environment.ts'
import { requireReference } from '../lock-calls/locked-artifact.ts'
import { findRepository } from '../repositories/find-repository.ts'
import { effectivePolicy, type EffectivePolicy } from '../scan-policies/effective-policy.ts'
import { Exceptions } from '../scan-policies/exceptions.ts'
import type { Finding } from '../scanning/advisories.ts'
import { keyOf } from '../scan-results/findings.ts'
import { findingsPerRow, partOf } from '../scan-results/result-rows.ts'
import { findingsCollection, scanCollection, type StoredScan } from '../scan-results/scans-store.ts'

/** The order of the findings of a report, which callers cannot change. */
const findingsList: ListFields = { fields: [], defaultOrder: 'key', key: 'key' }

/**
 * Returns the scan report of an artifact with a page of its findings. What depends on scan policies follows the policies
 * of now. Throws REFERENCE_INVALID, REPOSITORY_NOT_FOUND, ARTIFACT_NOT_FOUND and PAGE_TOKEN_INVALID.
 */
export async function getScanReport(
  { pageTokens, store, taxonomy, verdicts }: RegistryEnvironment,
  request: GetScanReportRequest,
  { now, path }: CallContext,
): Promise<ScanReport> {
  const query = listQuery(request, findingsList, pageTokens, path, now)
  requireReference(request.reference)
  const repository = (await findRepository(store, taxonomy, { ...request, engine: 'native' })).value
  const artifact = (await findArtifact(store, repository.id, request.reference))?.artifact.value
  if (!artifact) throw absentArtifact(repository.id, request.reference)
  // Another result may replace the rows of this one at any time.
  const { page, scan } = await store.snapshot(async reader => {
    const found = (await reader.get(scanCollection, artifact.row_id))?.value
    return { scan: found, page: await findingsPage(reader, found, query) }
  })
  const effective = await effectivePolicy(store, repository)
  const isImage = artifact.kind !== 'REGISTRY_ARTIFACT_KIND_ARTIFACT'
  const verdict = await verdicts.of(store, effective, { isImage, scan }, now)
  return {
    ...reportOf(scan, verdict.excepted),
    vulnerabilities: excepted(page.items, effective, now),
    blocked: verdict.isBlocked,
    next_page_token: nextToken(pageTokens, path, query, page.next),
  }
}

/** Returns the members of a report that no page changes. */
function reportOf(scan: StoredScan | undefined, excepted: number) {
  if (!scan) return { state: 'REGISTRY_SCAN_STATE_NOT_SCANNED' as const, unsupported_sources: [] }
  const { digest, end_time, error, report_id: id, result, start_time, state } = scan
  const { counts, os, package_count, sbom, scanner, unsupported_sources = [] } = result ?? {}
  return {
    id,
    digest,
    state,
    ...(scanner && { scanner }),
    ...(start_time !== undefined && { start_time }),
    ...(end_time !== undefined && { end_time }),
    ...(error && { error }),
    ...(os && { os }),
    ...(package_count !== undefined && { package_count }),
    ...(counts && { summary: { ...counts, excepted } }),
    unsupported_sources: [...unsupported_sources],
    ...(sbom && { sbom }),
  }
}

function excepted(findings: readonly Finding[], effective: EffectivePolicy | undefined, now: number): Vulnerability[] {
  const exceptions = new Exceptions(effective?.policy.exceptions ?? [], now)
  return findings.map(finding => ({
    ...finding,
    excepted_by: exceptions.has(finding) ? (effective?.policy.id ?? '') : '',
  }))
}

interface FindingsPage {
  readonly items: readonly Finding[]
  readonly next?: readonly SortKey[]
}

/**
 * Returns a page of the findings of a scan. The sort keys of a page are the result, and the position and the key of the
 * last finding: another result since then is continued after that key.
 */
async function findingsPage(
  reader: Reader,
  scan: StoredScan | undefined,
  { after, size }: ListQuery,
): Promise<FindingsPage> {
  const result = scan?.result
  if (!scan || !result?.counts) return { items: [] }
  const [afterResult, position = -1, key = ''] = after ?? []
  const start =
    after === undefined
      ? 0
      : afterResult === result.id
        ? Number(position) + 1
        : await positionAfter(reader, scan.id, result.id, String(key))
  const found: Finding[] = []
  for (let row = Math.floor(start / findingsPerRow); found.length <= size; row += 1) {
    const stored = await reader.get(findingsCollection, partOf(scan.id, result.id, row))
    if (!stored) break
    found.push(...stored.value.findings.slice(Math.max(0, start - row * findingsPerRow)))
  }
  const items = found.slice(0, size)
  const last = items.at(-1)
  if (found.length <= size || !last) return { items }
  return { items, next: [result.id, start + size - 1, keyOf(last)] }
}

/** Returns the position of the first finding whose key follows `key`. */
async function positionAfter(reader: Reader, scan: string, result: string, key: string): Promise<number> {
  let position = 0
  for await (const { value } of reader.each(findingsCollection, { scan, result })) {
    for (const finding of value.findings) {
      if (compareText(keyOf(finding), key) > 0) return position
      position += 1
    }
    await nextTurn()
  }
  return position
}

import type { StepOutcome } from '../../ports/procedures.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'
import { ScannerFault, type ExternalScanner } from '../scanning/external-scanner.ts'
import { countFindings, sortFindings } from '../scan-results/findings.ts'
import { writeResult } from '../scan-results/result-rows.ts'
import { artifactGone } from './scan-fault.ts'
import type { Made, ScanningParts } from './scanning-parts.ts'

/** The longest time between a request and its report, in milliseconds: that of the token by which the scanner pulls. */
const limitMs = 900_000

/** The time after which the report of a new request is asked for, and the shortest and longest time after that. */
const firstMs = 1000
const shortestMs = 500
const longestMs = 60_000

/** The request of which a scanner outside of the platform has not given the report yet. */
export interface ExternalProgress {
  /** The id of the report of the platform. */
  readonly report: string
  /** The id of the request at the scanner. */
  readonly request: string
  /** The time of the request in milliseconds since 1970. */
  readonly sinceMs: number
}

/**
 * Returns the result of a scanner outside of the platform, once it has one: asks for the scan, then again for its report,
 * also after a restart. Throws a `ScannerFault`.
 */
export async function externalResult(
  scanner: ExternalScanner,
  { artifact, context, scan }: ScanningParts<ExternalProgress>,
): Promise<Made | Extract<StepOutcome, { kind: 'again' }>> {
  const { checkpoint, clock, signal, store, tx } = context
  const { digest, media_type, repository_id } = artifact
  const repository = (await store.get(repositoryCollection, repository_id))?.value
  if (!repository) throw artifactGone(repository_id, digest)
  const image = { name: repository.path, digest, media_type }
  if (checkpoint?.report !== scan.report_id) {
    const request = await scanner.start(image, signal)
    await context.save({ report: scan.report_id, request, sinceMs: clock.now() })
    return waitFor(firstMs)
  }
  if (clock.now() - checkpoint.sinceMs > limitMs)
    throw new ScannerFault(`the scanner gave no report within ${limitMs / 60_000} minutes`)
  const answer = await scanner.report(checkpoint.request, image, signal)
  if (answer.kind === 'pending') return waitFor(Math.min(longestMs, Math.max(shortestMs, answer.afterMs)))
  const findings = await sortFindings(answer.findings)
  const id = clock.newId()
  if (!(await writeResult(tx, scan, { findings: { id, list: findings } }))) throw artifactGone(repository_id, digest)
  const result = {
    id,
    inventory: '',
    scanner: answer.scanner,
    counts: countFindings(findings),
    unsupported_sources: [],
  }
  return { kind: 'made', made: { advisories: '', result } }
}

const waitFor = (afterMs: number) => ({ kind: 'again', afterMs }) as const

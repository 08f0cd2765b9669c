import { LRUCache } from 'lru-cache'
import type { PullBlock, Severity } from '../../../output/registry/types.ts'
import type { Reader } from '../../ports/store.ts'
import type { EffectivePolicy } from '../scan-policies/effective-policy.ts'
import { Exceptions } from '../scan-policies/exceptions.ts'
import type { Finding } from '../scanning/advisories.ts'
import { rankOf } from '../scan-results/findings.ts'
import { findingsOf } from '../scan-results/result-rows.ts'
import type { FindingCounts, StoredScan } from '../scan-results/scans-store.ts'

/** The number of verdicts that a server keeps in memory. */
const capacity = 5000

/** What a scan policy says about an artifact. */
export interface Verdict {
  /** Whether the policy blocks the pull. */
  readonly isBlocked: boolean
  /** The worst severity of a finding that blocks; absent if no finding does. */
  readonly severity?: Severity
  /** The number of findings that the policy excepts. */
  readonly excepted: number
}

interface Kept extends Verdict {
  /** The time at which an exception ends, in milliseconds since 1970. */
  readonly endMs: number
}

const open: Verdict = { isBlocked: false, excepted: 0 }

/** The severities that `counts` counts, the worst first. */
const counted = [
  ['REGISTRY_SEVERITY_CRITICAL', 'critical'],
  ['REGISTRY_SEVERITY_HIGH', 'high'],
  ['REGISTRY_SEVERITY_MEDIUM', 'medium'],
  ['REGISTRY_SEVERITY_LOW', 'low'],
  ['REGISTRY_SEVERITY_NONE', 'none'],
  ['REGISTRY_SEVERITY_UNKNOWN', 'unknown'],
] as const satisfies readonly (readonly [Severity, keyof FindingCounts])[]

/**
 * Decides what scan policies say about artifacts at the moment of a call. Findings are read only if a policy has
 * exceptions or asks for fixable ones; the verdict is then kept until the result, the policy or the time changes it.
 */
export class Verdicts {
  readonly #kept = new LRUCache<string, Kept>({ max: capacity })

  /**
   * Returns the verdict about an artifact with the newest scan `scan`, undefined if it was never scanned, at a time in
   * milliseconds since 1970. `isImage` says whether the artifact is an image or an index, which alone can be scanned.
   */
  async of(
    reader: Reader,
    effective: EffectivePolicy | undefined,
    { isImage, scan }: { readonly isImage: boolean; readonly scan: StoredScan | undefined },
    now: number,
  ): Promise<Verdict> {
    if (!effective) return open
    const { policy, version } = effective
    const result = scan?.result
    if (!scan || !result?.counts) return { ...open, isBlocked: isImage && policy.block_pull?.block_unscanned === true }
    const exceptions = new Exceptions(policy.exceptions, now)
    const block = policy.block_pull
    if (exceptions.isEmpty && block?.only_fixable !== true) return byCounts(block, result.counts)
    const key = `${result.id}/${policy.id}/${version}`
    const known = this.#kept.get(key)
    if (known && now < known.endMs) return known
    const { seen, ...found } = await byFindings(block, exceptions, findingsOf(reader, scan.id, result.id))
    // The rows of a result go once another result replaces it; then all findings count, as without exceptions.
    if (seen < totalOf(result.counts)) return byCounts(block, result.counts)
    this.#kept.set(key, { ...found, endMs: exceptions.endMs })
    return found
  }
}

function byCounts(block: PullBlock | undefined, counts: FindingCounts): Verdict {
  if (block?.min_severity === undefined) return open
  const least = rankOf(block.min_severity)
  const worst = counted.find(([severity, name]) => counts[name] > 0 && rankOf(severity) >= least)
  return worst ? { isBlocked: true, severity: worst[0], excepted: 0 } : open
}

async function byFindings(
  block: PullBlock | undefined,
  exceptions: Exceptions,
  findings: AsyncIterable<Finding>,
): Promise<Verdict & { readonly seen: number }> {
  let [seen, excepted] = [0, 0]
  let severity: Severity | undefined
  for await (const finding of findings) {
    seen += 1
    if (exceptions.has(finding)) excepted += 1
    else if (severity === undefined && blocks(block, finding)) ({ severity } = finding)
  }
  return { isBlocked: severity !== undefined, ...(severity !== undefined && { severity }), excepted, seen }
}

const totalOf = (counts: FindingCounts): number => counted.reduce((sum, [, name]) => sum + counts[name], 0)

const blocks = (block: PullBlock | undefined, { fixed_versions, severity }: Finding): boolean =>
  block?.min_severity !== undefined &&
  rankOf(severity) >= rankOf(block.min_severity) &&
  (!block.only_fixable || fixed_versions.length > 0)

import { scrapeTargetForbidden } from '../../../output/observability/errors.ts'
import type { ScrapeTargetInput } from '../../../output/observability/types.ts'
import type { OutboundCalls } from '../outbound/outbound-calls.ts'

/** Throws SCRAPE_TARGET_FORBIDDEN if the platform sends no request to a target, with a violation for each such target. */
export async function requireTargets(outbound: OutboundCalls, targets: readonly ScrapeTargetInput[] = []) {
  const refusals = await Promise.all(targets.map(({ url }) => outbound.refusal(url, 'allowed')))
  const forbidden = refusals.flatMap((description, i) =>
    description === undefined ? [] : [{ field: `prometheus_scrape.targets[${i}].url`, description }],
  )
  const [first] = forbidden
  if (first) throw scrapeTargetForbidden(`${first.field} ${first.description}`, { badRequest: forbidden })
}

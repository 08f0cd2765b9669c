import type { ServedPlane } from './ingest/served-plane.ts'
import type { TargetPage } from './scraping/target-page.ts'

/** A workspace with work that needs no call: a target that is scraped, and an alert rule. */
export interface WorkingWorkspace {
  readonly id: string
  readonly organisation: string
  /** The id of an ingestion config for OTLP. */
  readonly config: string
  /** The id of a rule that always fires. */
  readonly rule: string
}

/** Creates a workspace in the group of the tenant of a plane, whose target is `page`. */
export async function addWorkingWorkspace(
  { api, config, tenant }: ServedPlane,
  name: string,
  page: TargetPage,
): Promise<WorkingWorkspace> {
  const { group, organisation } = tenant
  const made = await api.taxonomy.createWorkspace({ organisation, body: { name, parent_group_id: group } })
  const { resource_id: id } = made
  const prometheus_scrape = { targets: [{ url: page.url }], scrape_interval: '5s', scrape_timeout: '2s' }
  await config({ name: 'scraped', prometheus_scrape, ingest_keys: [] }, id)
  const body = { name: 'always', query: 'vector(1)', evaluation_interval: '10s' }
  const { resource_id: rule } = await api.observability.createAlertRule({ workspace: id, engine: 'native', body })
  return { id, organisation, config: await config({ name: 'senders', otlp: {} }, id), rule }
}

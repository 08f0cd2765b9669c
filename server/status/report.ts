import { areas } from '../areas.ts'
import { jsonStatus, printStatus } from './print.ts'
import { readSources } from './sources.ts'
import { statusOf } from './status.ts'

/** What `ninefold status` prints of the platform: what is left to build of its documents. */
export async function statusReport({ json }: { readonly json?: true }): Promise<string> {
  const statuses = (await readSources(areas)).map(statusOf)
  return json ? jsonStatus(statuses) : printStatus(statuses).join('\n')
}

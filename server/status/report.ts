import { areas } from '../areas.ts'
import { jsonStatus, printStatus } from './print.ts'
import { readSources } from './sources.ts'
import { statusOf } from './status.ts'

/** Returns the output of `ninefold status`: the remaining operations of the platform's documents. */
export async function statusReport({ json }: { readonly json?: true }): Promise<string> {
  const statuses = (await readSources(areas)).map(statusOf)
  return json ? jsonStatus(statuses) : printStatus(statuses).join('\n')
}

import type { Reader } from '../../ports/store.ts'
import { alertRuleCollection } from '../alerts/alert-rules-store.ts'
import { ingestionConfigCollection } from '../ingestion-configs/ingestion-configs-store.ts'
import { countOpenSilences } from '../silences/active-silences.ts'
import { logSinkCollection } from '../sinks/log-sinks-store.ts'
import type { QuotaName } from './definitions.ts'

/** The quotas of rows, whose usage is counted in the transaction that adds a row. */
export type CountedQuota = Extract<QuotaName, 'alertRules' | 'ingestionConfigs' | 'logSinks' | 'silences'>

/** Returns the number of rows of a workspace that count at `now`, in milliseconds since 1970. */
type Count = (reader: Reader, workspace: string, now: number) => Promise<number>

const counts: Readonly<Record<CountedQuota, Count>> = {
  alertRules: (reader, workspace_id) => reader.count(alertRuleCollection, { workspace_id }),
  ingestionConfigs: (reader, workspace_id) => reader.count(ingestionConfigCollection, { workspace_id }),
  logSinks: (reader, workspace_id) => reader.count(logSinkCollection, { workspace_id }),
  silences: countOpenSilences,
}

/** Returns whether a quota counts rows. */
export const isCounted = (name: QuotaName): name is CountedQuota => Object.hasOwn(counts, name)

/** Returns the number of rows of a workspace that count for a quota at `now`, in milliseconds since 1970. */
export const countOf = (reader: Reader, name: CountedQuota, workspace: string, now: number): Promise<number> =>
  counts[name](reader, workspace, now)

import { logSinkAlreadyExists } from '../../../output/observability/errors.ts'
import { logSinksList } from '../../../output/observability/filters.ts'
import type { LogSink } from '../../../output/observability/types.ts'
import type { Collection } from '../../ports/store.ts'

/** The members of a log sink that follow from its exports. */
export type ExportedMember = 'exported_entries' | 'lag_seconds' | 'last_error' | 'last_export_time'

/** The row of a log sink, with its state, which lists filter by. The secret of a webhook is in a row of its own. */
export type StoredLogSink = Omit<LogSink, ExportedMember> & { readonly start_time: string }

/** The log sinks of all workspaces and engines. */
export const logSinkCollection: Collection<StoredLogSink> = {
  name: 'observability_log_sinks',
  id: 'id',
  list: logSinksList,
  listedBelow: 'workspace_id',
  columns: { workspace_id: 'STRING', engine: 'STRING' },
  uniques: [
    {
      fields: ['workspace_id', 'engine', 'name'],
      taken: ({ name }) =>
        logSinkAlreadyExists(`a log sink named ${name} exists in the workspace; choose another name`, {
          resource: { type: 'observability.logSinks', name },
        }),
    },
  ],
  indexedMaps: ['labels'],
}

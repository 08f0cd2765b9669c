import { checksumDigits } from '../../../../../server/observability/native/traces/stored-texts.ts'
import { changeColumn, runSql } from '../changed-bytes.ts'

/** Gives a file of the spans of a day the form of the first version, whose texts have no checksums. */
export function makeOlderSpans(file: string): void {
  for (const table of ['resources', 'spans']) changeColumn(file, table, 'text', text => text.subarray(checksumDigits))
  runSql(file, 'PRAGMA user_version = 1')
}

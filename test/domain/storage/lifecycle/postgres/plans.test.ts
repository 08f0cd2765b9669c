import { beforeAll, describe, expect, it } from 'vitest'
import { versionCollection } from '../../../../../domain/storage/objects/versions-store.ts'
import { uploadCollection } from '../../../../../domain/storage/uploads/uploads-store.ts'
import { openPostgres } from '../../../../../server/store/postgres.ts'
import { postgresDialect } from '../../../../../server/store/postgres/dialect.ts'
import { statement, testPlace } from '../../../../server/store/harness.ts'
import { explain } from '../../../../server/store/postgres/explain.ts'
import { statementsOf } from '../../../../server/store/statements.ts'
import { bucketId, lifecycleReads } from '../lifecycle-reads.ts'

const time = `to_char(timestamp '2026-01-01' + i * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS".000000000Z"')`

/** The SQL that inserts so many versions and uploads that a scan of a table is never the fastest plan. */
const fill = [
  `INSERT INTO storage_object_versions (_key, _version, _body, workspace_id, bucket_id, name, is_latest,
     is_delete_marker, commit_number, slot, content_id, create_time, update_time, size, content_type, storage_class, etag)
   SELECT 'v-' || i, 1, '{}', '', CASE i % 2 WHEN 0 THEN '${bucketId}' ELSE 'other-' || i END, 'n-' || (i / 20),
     (i % 3 < 2)::int, (i % 5 = 0)::int, lpad('' || i, 16, '0'), 'KEPT', 'c-' || i, ${time}, ${time}, 1, '', '', ''
   FROM generate_series(1, 40000) AS i`,
  `INSERT INTO storage_multipart_uploads (_key, _version, _body, workspace_id, bucket_id, has_parts, expire_time,
     object, create_time, state)
   SELECT 'u-' || i, 1, '{}', '', CASE i % 2 WHEN 0 THEN '${bucketId}' ELSE 'other-' || i END, 'NO', ${time},
     'n-' || i, ${time}, 'STORAGE_MULTIPART_UPLOAD_STATE_ACTIVE' FROM generate_series(1, 20000) AS i`,
  'VACUUM ANALYZE',
]

let place: string

beforeAll(async () => {
  place = await testPlace(() => undefined)
  await (await openPostgres({ url: place, collections: [versionCollection, uploadCollection] })).close()
  for (const sql of fill) await statement(place, sql)
})

describe('a read of lifecycle rules', () => {
  it.each(lifecycleReads)('finds $name by an index', async ({ collection, read }) => {
    const plans = await explain(place, await statementsOf(collection, postgresDialect, read))
    expect(plans.length).toBeGreaterThan(0)
    for (const plan of plans) {
      expect(plan).toMatch(/Index Cond: .*bucket_id = /)
      expect(plan).not.toMatch(/Seq Scan/)
    }
  })
})

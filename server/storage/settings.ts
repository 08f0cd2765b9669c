import { join, resolve } from 'node:path'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { listOf } from '../settings/lists.ts'
import { object, objectByKind } from '../settings/objects.ts'
import { duration, text } from '../settings/scalars.ts'
import { addedEngineFault, emptyFault, httpUrlFault } from '../settings/text-faults.ts'

/** A folder of this host for the instances of a location. */
const root = object({
  path: text({ fault: emptyFault }),
  location: text({ fault: emptyFault }).default('local'),
})

/** An engine whose content S3 stores keep, each of which a storage class names. */
const engine = objectByKind({ s3: { name: text({ fault: addedEngineFault }) } })

/** Returns the folder for content that needs no setting. */
export const storageFolder = (dataDir: string): string => join(resolve(dataDir), 'storage')

/** The settings of the area of storage. */
export const storageSettings = {
  'storage.data_base_url': text({ fault: httpUrlFault })
    .otherwise('`base_url`')
    .describe(
      'the address in signed URLs, at which callers reach `/storage-data/v1`; a proxy may give content an origin of its own',
    ),
  'storage.roots': listOf(root, { uniqueBy: 'path' })
    .derived('`<data_dir>/storage` in location `local`', ({ dataDir }) => [
      { path: storageFolder(dataDir), location: 'local' },
    ])
    .describe(
      'the folders for content on this host, a list of `{"path", "location"}`; a new instance of a location takes the folder with the most free bytes',
    ),
  'storage.engines': listOf(engine, { uniqueBy: 'name' })
    .default([{ name: 's3', kind: 's3' }])
    .describe(
      'the engines of S3 stores beside the engine `native`, a list of `{"name", "kind": "s3"}`; the storage classes of an engine name its stores',
    ),
  'storage.s3_max_expires': duration({ min: 1000, max: 604_800_000 })
    .default(3_600_000)
    .describe('the longest time for which a signed URL of an S3 store works: nothing revokes such a URL earlier'),
  'storage.s3_inventory': duration({ min: 1000, max: 604_800_000 })
    .default(3_600_000)
    .describe('the time between two inventories of a bucket on an S3 store, which count its objects and bytes'),
} as const satisfies SettingDeclarations

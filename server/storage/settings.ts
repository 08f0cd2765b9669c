import { join, resolve } from 'node:path'
import type { SettingDeclarations } from '../settings/declarations.ts'
import { listOf } from '../settings/lists.ts'
import { object } from '../settings/objects.ts'
import { text } from '../settings/scalars.ts'
import { emptyFault, httpUrlFault } from '../settings/text-faults.ts'

/** A folder of this host for the instances of a location. */
const root = object({
  path: text({ fault: emptyFault }),
  location: text({ fault: emptyFault }).default('local'),
})

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
} as const satisfies SettingDeclarations

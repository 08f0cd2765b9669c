import { registry } from '../../../output/registry/errors.ts'
import type { Reader } from '../../ports/store.ts'
import type { Dimensions, QuotaScope } from '../../resources/quotas/definitions.ts'
import { Quotas } from '../../resources/quotas/quotas.ts'
import { scanDayCollection } from '../scan-results/scans-store.ts'
import { repositoryCollection } from '../repositories/repositories-store.ts'

const gibibyte = 2 ** 30

const ofWorkspace = { scope: 'WORKSPACE', dimensions: [] } as const

/** Returns the number of scans that a workspace has begun today. */
const scansToday = async (reader: Reader, { id }: QuotaScope): Promise<number> =>
  (await reader.get(scanDayCollection, id))?.value.begun ?? 0

/** The usage of a quota that caps single things. */
const none = async (): Promise<number> => 0

/** Returns the bytes that the repositories of a workspace store. */
export const storedBytes = (reader: Reader, { id }: QuotaScope): Promise<number> =>
  reader.sum(repositoryCollection, 'size_bytes', { workspace_id: id })

/** Returns the number of artifacts, which the row of the repository has. */
async function artifactsIn(reader: Reader, { id }: QuotaScope, { repository_id = '' }: Dimensions): Promise<number> {
  const repository = (await reader.get(repositoryCollection, repository_id))?.value
  return repository?.workspace_id === id ? repository.artifact_count : 0
}

/** The quota definitions of the area (registry.md 1). */
export const quotas = new Quotas(registry, [
  {
    ...ofWorkspace,
    id: 'registry.repositories',
    display_name: 'Repositories',
    description: 'Repositories of a workspace, over all engines.',
    unit: '1',
    resource_type: 'registry.repositories',
    default_limit: 100,
    counted: repositoryCollection,
  },
  {
    ...ofWorkspace,
    id: 'registry.storageBytes',
    display_name: 'Stored bytes',
    description:
      'Bytes of manifests and blobs in the repositories of a workspace; a blob counts once in each repository.',
    unit: 'By',
    resource_type: 'registry.repositories',
    default_limit: 10 * gibibyte,
    measure: storedBytes,
  },
  {
    id: 'registry.artifacts',
    display_name: 'Artifacts',
    description: 'Artifacts of one repository, untagged ones too.',
    unit: '1',
    resource_type: 'registry.artifacts',
    scope: 'WORKSPACE',
    dimensions: ['repository_id'],
    default_limit: 10_000,
    measure: artifactsIn,
  },
  {
    ...ofWorkspace,
    id: 'registry.scansPerDay',
    display_name: 'Scans a day',
    description: 'Scans that begin on one day in UTC; automatic ones above the limit wait for the next day.',
    unit: '1/d',
    resource_type: 'registry.scans',
    default_limit: 200,
    measure: scansToday,
  },
  {
    ...ofWorkspace,
    id: 'registry.blobBytes',
    display_name: 'Bytes of a blob',
    description: 'The largest size of a single blob; no blob uses the limit up.',
    unit: 'By',
    resource_type: 'registry.artifacts',
    default_limit: 10 * gibibyte,
    measure: none,
  },
])

/** Returns the scope of the quotas of a workspace. */
export const quotaScope = (workspace: string): QuotaScope => ({ type: 'WORKSPACE', id: workspace })

/** Returns the largest number of bytes of a new blob in a workspace; -1 without a limit. */
export const blobBytesLimit = (reader: Reader, workspace: string): Promise<number> =>
  quotas.limitOf(reader, 'registry.blobBytes', quotaScope(workspace), {})

/** Returns how many further bytes a workspace may store; -1 without a limit. */
export async function storageRoom(reader: Reader, workspace: string): Promise<number> {
  const limit = await quotas.limitOf(reader, 'registry.storageBytes', quotaScope(workspace), {})
  return limit < 0 ? -1 : Math.max(0, limit - (await storedBytes(reader, quotaScope(workspace))))
}

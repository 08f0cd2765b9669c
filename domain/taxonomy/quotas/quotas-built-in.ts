import type { Quota } from '../../../output/taxonomy/types.ts'

/** The fixed members of a quota, and its initial limit. */
export type BuiltInQuota = Pick<Quota, 'id' | 'display_name' | 'description' | 'unit' | 'default_limit'>

/** The members that callers cannot change. */
export const fixedMembers = ['display_name', 'description', 'unit'] as const satisfies readonly (keyof BuiltInQuota)[]

const built = (
  id: string,
  display_name: string,
  description: string,
  default_limit: number,
  unit = '1',
): BuiltInQuota => ({
  id,
  display_name,
  description,
  unit,
  default_limit,
})

/** The quotas of every store, with their initial limits (taxonomy.md §1). */
export const builtInQuotas: readonly BuiltInQuota[] = [
  built('compute.disk_gib', 'Disk space', 'Size of all disks of virtual machines.', 10240, 'GiBy'),
  built('compute.memory_mib', 'Memory', 'Memory of all virtual machines.', 1048576, 'MiBy'),
  built('compute.vcpus', 'Virtual CPUs', 'Virtual CPUs of all virtual machines.', 256),
  built('compute.vms', 'Virtual machines', 'Virtual machines in every state.', 100),
  built('iam.policies', 'Policies', 'Policies of all workspaces.', 100),
  built('iam.serviceAccounts', 'Service accounts', 'Service accounts of all workspaces.', 200),
  built('storage.buckets', 'Buckets', 'Buckets of all engines.', 100),
  built('storage.bytes', 'Stored bytes', 'Bytes of all objects and parts of uploads.', 1099511627776, 'By'),
  built('taxonomy.groups', 'Groups', 'Groups at any depth, in every state.', 300),
  built('taxonomy.workspaces', 'Workspaces', 'Workspaces at any depth, in every state.', 100),
  built('vault.certificateAuthorities', 'Certificate authorities', 'Certificate authorities in every state.', 50),
  built('vault.cryptoKeys', 'Crypto keys', 'Crypto keys in every state.', 500),
  built('vault.secrets', 'Secrets', 'Secrets in every state.', 1000),
]

const builtInIds: ReadonlySet<string> = new Set(builtInQuotas.map(({ id }) => id))

/** Returns whether a quota with this id exists in every store. */
export const isBuiltIn = (id: string): boolean => builtInIds.has(id)

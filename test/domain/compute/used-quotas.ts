import { vmKind } from '../../../domain/compute/vms/vm-kind.ts'
import type { StoredVm } from '../../../domain/compute/vms/vms-store.ts'

/** Returns the sums of the amounts that virtual machines take of quotas, keyed by quota. */
export function usedOf(vms: readonly StoredVm[]): Readonly<Record<string, number>> {
  const used: Record<string, number> = {}
  for (const { amount, quota } of vms.flatMap(vm => vmKind.takes?.(vm) ?? [])) used[quota] = (used[quota] ?? 0) + amount
  return used
}

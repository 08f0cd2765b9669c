import type { Turn } from '../../../ports/workers.ts'
import type { RegistryEnvironment } from '../../environment.ts'
import { dayOf } from '../begin-scan.ts'
import { lockReport } from '../end-scan.ts'
import { deleteBill } from '../push-bill.ts'
import { deleteParts } from '../../scan-results/result-rows.ts'
import { isInProgress } from '../scan-rows.ts'
import { scanCollection, scanDayCollection, type StoredScan } from '../../scan-results/scans-store.ts'

/** Deletes what earlier results of scans have left: their rows, and the bills of materials that others replace. */
export async function tidyScans(environment: RegistryEnvironment, turn: Turn): Promise<void> {
  for await (const { value } of environment.store.each(scanCollection, { is_untidy: true })) {
    if (turn.signal.aborted) return
    if (!isInProgress(value)) await tidy(environment, turn, value)
  }
}

async function tidy(environment: RegistryEnvironment, { signal, tx }: Turn, scan: StoredScan): Promise<void> {
  const { taxonomy } = environment
  for (const digest of scan.old_bills) await deleteBill(environment, scan, digest, signal)
  let isDone = false
  while (!isDone && !signal.aborted)
    isDone = await tx(async inner => {
      const stored = await lockReport(inner, taxonomy, scan)
      // A scan that began meanwhile writes rows of its own.
      if (!stored || isInProgress(stored.value)) return true
      const { id = '', inventory = '' } = stored.value.result ?? {}
      if (!(await deleteParts(inner, scan.id, [id, inventory]))) return false
      const old_bills = stored.value.old_bills.filter(digest => !scan.old_bills.includes(digest))
      const next = { ...stored.value, is_untidy: old_bills.length > 0, old_bills }
      await inner.update(scanCollection, scan.id, next, stored.version)
      return true
    })
}

/** Sets the numbers of scans of earlier days to 0. */
export async function endDays({ clock, store }: RegistryEnvironment, { signal, tx }: Turn): Promise<void> {
  const day = dayOf(clock.now())
  for await (const { id } of store.each(scanDayCollection, { day: { noneOf: [day] } })) {
    if (signal.aborted) return
    await tx(async inner => {
      const stored = await inner.lock(scanDayCollection, id)
      if (stored && stored.value.day !== day)
        await inner.update(scanDayCollection, id, { id, day, begun: 0 }, stored.version)
    })
  }
}

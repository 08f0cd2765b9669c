import { areas } from '../../../../server/areas.ts'
import { storeCollections } from '../../../../server/platform-store.ts'
import { setTag } from '../../../../domain/registry/artifacts/artifact-tags.ts'
import { repositoryCollection } from '../../../../domain/registry/repositories/repositories-store.ts'
import { chargeUsage } from '../../../../domain/registry/quotas/charge-usage.ts'
import type { Store } from '../../../../domain/ports/store.ts'
import { addTenant } from '../../../areas/members.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { meets } from '../storage/limits.ts'
import { watchedTurns } from '../turns.ts'
import { overPlace, storeName } from '../vm-bench-place.ts'
import { vmPlatform } from '../vm-platform.ts'
import { pushGroup } from './filled-repository.ts'

/** The numbers of tags of the deleted artifacts. The first deletion also loads code, so it has no limit. */
const counts = [1000, 1000, 5000]

/** The most tags for which the limit holds, because one transaction deletes all tags of an artifact. */
const limited = 1000

/** The processor time of the longest turn of the event loop, in milliseconds. */
const limitMs = 20

/**
 * Prints the times of deletions of artifacts with many tags, and the processor time of the longest turn of the event loop
 * meanwhile. Returns whether the limit was kept.
 */
export const printDeletion = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const { api, close } = await vmPlatform(place, 0)
    const { workspace } = await addTenant(api, 'acme')
    const body = { name: 'api' }
    const { resource_id: repository } = await api.registry.createRepository({ workspace, engine: 'native', body })
    const store = await openBeside(place, storeCollections(areas))
    later(() => store.close())
    console.log(`\ndeletion of an artifact with many tags, ${storeName(storeUrl)}`)
    let isKept = true
    for (const [n, count] of counts.entries()) {
      const { images } = await store.tx(tx => pushGroup(tx, repository, n))
      const [reference = ''] = images
      await addTags(store, { repository, digest: reference }, count)
      const { longestCpu, took } = await watchedTurns(() =>
        api.registry.deleteArtifact({ workspace, repository, reference }),
      )
      const measured = `${took.toFixed(1)} ms, of which the longest turn has ${longestCpu.toFixed(1)} ms of processor time`
      if (n === 0 || count > limited) console.log(`  ${count} tags: ${measured}`)
      else isKept = meets(`${count} tags: at most ${limitMs} ms of a turn`, measured, longestCpu <= limitMs) && isKept
    }
    await close()
    return isKept
  })

/** Gives an artifact many tags, in transactions of 500. */
async function addTags(
  store: Store,
  { digest, repository }: { readonly digest: string; readonly repository: string },
  count: number,
): Promise<void> {
  const push_time = new Date().toISOString()
  for (let from = 0; from < count; from += 500)
    await store.tx(async tx => {
      for (let i = from; i < from + 500; i += 1)
        await setTag(tx, { repository_id: repository, name: `${digest.slice(7, 15)}-${i}`, digest, push_time })
      const locked = await tx.lock(repositoryCollection, repository)
      if (!locked) throw new Error('there is no repository')
      await chargeUsage(tx, locked, { tags: 500 }, push_time)
    })
}

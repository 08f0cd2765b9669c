import { readTags } from '../../../../domain/registry/plane/read-tags.ts'
import { tagCollection, tagId } from '../../../../domain/registry/artifacts/tags-store.ts'
import { repositoryCollection } from '../../../../domain/registry/repositories/repositories-store.ts'
import { areas } from '../../../../server/areas.ts'
import { storeCollections, storeFile } from '../../../../server/platform-store.ts'
import { addTenant } from '../../../areas/members.ts'
import { callContext } from '../../../call-context.ts'
import { openBeside } from '../../../server/store/left-place.ts'
import { postgresDriver, sqliteDriver } from '../bare-driver.ts'
import { clockRounds } from '../clock-rounds.ts'
import { measureRounds, median, type Contender } from '../rounds.ts'
import { meets } from '../storage/limits.ts'
import { printGroup } from '../table.ts'
import { overPlace, storeName } from '../vm-bench-place.ts'
import { vmPlatform } from '../vm-platform.ts'

const count = 100_000
const size = 100

/** A page may take this multiple of the bare statement for the same rows. */
const limit = 1.5

const nameOf = (i: number): string => `v${String(i).padStart(6, '0')}`

/** Prints the time of pages of 100 names among 100,000 tags beside the bare statement. Returns whether they kept the limit. */
export const printTags = (storeUrl: string | undefined): Promise<boolean> =>
  overPlace(storeUrl, async (place, later) => {
    const platform = await vmPlatform(place, 0)
    const { workspace } = await addTenant(platform.api, 'acme')
    const body = { name: 'api' }
    const { resource_id } = await platform.api.registry.createRepository({ workspace, engine: 'native', body })
    await platform.close()
    const store = await openBeside(place, storeCollections(areas))
    later(() => store.close())
    const driver = storeUrl === undefined ? sqliteDriver(storeFile(place.dataDir)) : await postgresDriver(storeUrl)
    later(() => driver.close())
    for (let from = 0; from < count; from += 5000)
      await store.tx(async tx => {
        for (let i = from; i < from + 5000; i += 1)
          await tx.insert(tagCollection, {
            id: tagId(resource_id, nameOf(i)),
            repository_id: resource_id,
            name: nameOf(i),
            digest: `sha256:${'a'.repeat(64)}`,
            push_time: '2026-01-01T00:00:00.000Z',
          })
      })
    const repository = await store.get(repositoryCollection, resource_id)
    if (storeUrl !== undefined) await driver.prepare('analyze', `ANALYZE ${tagCollection.name}`)()
    const statement = driver.prepare(
      'tags',
      `SELECT _key, _version, _body, name FROM ${tagCollection.name} WHERE repository_id = ? AND name > ? ORDER BY name LIMIT ${size + 1}`,
    )
    const context = { ...callContext(), handedOn: { name: 'acme/web/api', repository, context: callContext() } }
    let isKept = true
    for (const last of [nameOf(0), nameOf(count / 2), nameOf(count - 200)]) {
      const contenders: readonly Contender[] = [
        { name: 'the bare statement', units: 1, run: () => statement(resource_id, last) },
        { name: 'the registry', units: 1, run: () => readTags({ store }, { n: String(size), last }, context) },
      ]
      const times =
        storeUrl === undefined
          ? (await measureRounds(contenders, { rounds: 9, warmUp: 5 })).map(median)
          : await clockRounds(contenders, 50)
      const [bare = Number.NaN, page = Number.NaN] = times
      printGroup(`after ${last}, ${size} of ${count} tags, ${storeName(storeUrl)}`, [
        ['the bare statement', bare],
        ['the registry', page],
      ])
      isKept = meets(`at most ${limit} x`, `${(page / bare).toFixed(2)} x`, page <= limit * bare) && isKept
    }
    return isKept
  })

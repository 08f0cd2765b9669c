import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { insertOrganisation, newOrganisation } from '../../../domain/taxonomy/organisations.ts'
import { organisations, trees } from '../../../domain/taxonomy/tree/nodes.ts'
import { holdTree, shareTree } from '../../../domain/taxonomy/tree/tree-lock.ts'
import { formatMillis } from '../../../runtime/timestamps.ts'
import { storeAt, testPlace } from '../../server/store/harness.ts'

const organisation = '01900000-0000-7000-8000-000000000001'

it.each([
  { first: shareTree, second: holdTree },
  { first: holdTree, second: shareTree },
  { first: holdTree, second: holdTree },
])('$first.name makes $second.name of another server wait until its transaction ends', async ({ first, second }) => {
  const place = await testPlace()
  const [one, other] = [await storeAt(place, organisations, trees), await storeAt(place, organisations, trees)]
  const texts = { name: 'o', contact_email: '', display_name: '', description: '', labels: {} }
  await one.tx(tx => insertOrganisation(tx, newOrganisation(organisation, formatMillis(0), texts)))
  const ends: string[] = []
  const held = Promise.withResolvers<void>()
  const holding = one.tx(async tx => {
    await first(tx, organisation)
    held.resolve()
    // 150 ms exceed the time of a request to the store, and are less than the time for which a busy file is retried.
    await sleep(150)
    ends.push('first')
  })
  await held.promise
  const waiting = other.tx(async tx => {
    await second(tx, organisation)
    ends.push('second')
  })
  await Promise.all([holding, waiting])
  expect(ends).toEqual(['first', 'second'])
})

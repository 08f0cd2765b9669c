import type { Collection } from '../../../../domain/ports/store.ts'
import { openPlace } from '../place.ts'

/**
 * This program writes documents, each in a transaction of its own, and prints the id of every acknowledged document.
 */

const [place = ''] = process.argv.slice(2)
const numbers: Collection<{ readonly id: string }> = { name: 'test_numbers', id: 'id' }
const store = await openPlace(place, [numbers])
for (let i = 0; i < 500; i += 1) {
  const { id } = await store.tx(tx => tx.insert(numbers, { id: `n${i}` }))
  process.stdout.write(`${id}\n`)
}

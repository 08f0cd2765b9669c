import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { limitYoungGrowth, stopYoungGrowth } from '../../server/young-generation.ts'

/**
 * Makes objects that survive collections of garbage, and prints the largest size of the young generation in MiB. The
 * argument is `limited` or `unlimited`.
 */
const survivors = 100_000
const turns = 600
const objectsOfTurn = 5_000

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0

if (process.argv[2] === 'limited') {
  stopYoungGrowth()
  limitYoungGrowth()
}
const kept: object[] = []
let largest = 0
for (let turn = 0; turn < turns; turn += 1) {
  for (let i = 0; i < objectsOfTurn; i += 1)
    kept[(turn * objectsOfTurn + i) % survivors] = { turn, text: `text ${i}`, list: [i] }
  largest = Math.max(largest, youngBytes())
  await nextTurn()
}
console.log(largest / 1024 / 1024)

import { createInterface } from 'node:readline'
import { startWorkers } from '../../../server/operations/workers.ts'
import { benchCollections, workBench } from '../../server/operations/work-bench.ts'
import { openPlace } from '../../server/store/place.ts'
import { instant } from './pending.ts'

/**
 * This program prints `ready`, works on the store of a place from the first line of its input on, and ends when its
 * input ends.
 */

const [place = ''] = process.argv.slice(2)
const store = await openPlace(place, benchCollections)
const bench = workBench(store, [instant])
console.log('ready')
const input = createInterface({ input: process.stdin })
input.once('line', () => {
  const working = startWorkers(bench)
  input.once('close', () => void working.then(({ stop }) => stop()).then(() => store.close()))
})

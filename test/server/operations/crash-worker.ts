import { openPlace } from '../store/place.ts'
import { move, points } from './crash-procedure.ts'
import { benchCollections, workBench } from './work-bench.ts'

/**
 * This program begins moves of crates, works on them, and prints each point of `points` that it reaches. At the point
 * with the name `last` it kills itself; at the `last`th point, if `last` is a number, it waits to be killed. Otherwise
 * it ends when its input ends.
 */
const [place = '', last = '', ...crates] = process.argv.slice(2)

let passed = 0

function at(point: string): void {
  process.stdout.write(`${point}\n`)
  passed += 1
  if (passed === Number(last)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (point === last) process.kill(process.pid, 'SIGKILL')
}

const store = await openPlace(place, benchCollections)
const bench = workBench(store, [move(at)])
for (const crate of crates) await bench.begin('sample.move', { crate })
at(points[0])
const workers = await bench.work()
process.stdin.on('end', () => void workers.stop().then(() => store.close())).resume()

import { openPlace } from '../store/place.ts'
import { move, points } from './crash-procedure.ts'
import { benchCollections, workBench } from './work-bench.ts'

/**
 * This program begins moves of crates, works on the moves, and prints each point of `points` that the process reaches.
 * The program kills itself at the point with the name `last`. If `last` is a number, the program waits to be killed at
 * the point with this number. Otherwise the program ends when its standard input ends.
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

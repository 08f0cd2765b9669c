import { openPlace } from '../store/place.ts'
import { move, points } from './crash-procedure.ts'
import { benchCollections, workBench } from './work-bench.ts'

/**
 * A process that begins moves of crates and works on them, telling every point it comes by. At the last one, which is
 * named or told by its number, it kills itself, or waits to be killed. Without one it ends when its input does.
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

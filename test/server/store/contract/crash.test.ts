import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Collection } from '../../../../domain/ports/store.ts'
import { storeAt, testPlace } from '../harness.ts'

const numbers: Collection<{ readonly id: string }> = { name: 'test_numbers', id: 'id' }
const writer = fileURLToPath(new URL('./crash-writer.ts', import.meta.url))

/**
 * Kills a writing process after its `count`th acknowledged document. Returns all ids that the process has acknowledged,
 * at least `count`.
 */
async function killedAfter(count: number, place: string): Promise<string[]> {
  const child = spawn(process.execPath, [writer, place], { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line)
    if (acknowledged.length === count) child.kill('SIGKILL')
  }
  return acknowledged
}

it('no acknowledged document is lost in repeated kills of a process', async () => {
  for (const count of [1, 40, 170, 333]) {
    const place = await testPlace()
    const acknowledged = await killedAfter(count, place)
    const store = await storeAt(place, numbers)
    const kept = new Set<string>()
    for await (const { id } of store.each(numbers)) kept.add(id)
    expect(acknowledged.length).toBeGreaterThanOrEqual(count)
    expect(acknowledged.filter(id => !kept.has(id))).toEqual([])
  }
}, 60_000)

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../../../../server/store/sqlite.ts'
import { boxes, testFolder, testStore, type Box } from '../harness.ts'

const box = (id: string): Box => ({ id, name: id })

describe('a transaction on SQLite', () => {
  it('starts only after the end of the transaction before, in the order of the calls', async () => {
    const store = await testStore(boxes)
    const seen: string[] = []
    const run = (name: string) =>
      store.tx(async tx => {
        seen.push(`${name} begins`)
        await tx.insert(boxes, box(name))
        await setImmediate()
        await tx.count(boxes)
        seen.push(`${name} ends`)
      })
    await Promise.all([run('a'), run('b'), run('c')])
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('leaves a turn of the event loop to other work before the next waiting transaction', async () => {
    const store = await testStore(boxes)
    const count = 10
    const over = new AbortController()
    let turns = 0
    const counting = (async () => {
      for (; !over.signal.aborted; await setImmediate()) turns += 1
    })()
    const run = (name: string) =>
      store.tx(async tx => {
        await tx.insert(boxes, box(name))
        return turns
      })
    const seen = await Promise.all(Array.from({ length: count }, (_, i) => run(`box ${i}`)))
    over.abort()
    await counting
    expect(new Set(seen).size).toBe(count)
  })

  it('waits for another process that has locked the file', async () => {
    const file = join(testFolder(), 'store.sqlite')
    const store = await openSqlite({ file, collections: [boxes] })
    onTestFinished(() => store.close())
    const other = new DatabaseSync(file)
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const waiting = store.tx(tx => tx.insert(boxes, box('a')))
    const outcome = await Promise.race([waiting.then(() => 'written'), setTimeout(120, 'waits')])
    other.exec('COMMIT')
    await waiting
    expect([outcome, await store.count(boxes)]).toEqual(['waits', 1])
  })
})

import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../../../../runtime/errors.ts'
import { openPostgres, type PostgresOptions, type PostgresStore } from '../../../../server/store/postgres.ts'
import { withOptions } from '../../../postgres/address.ts'
import { boxes, statement, testPlace, type Box } from '../harness.ts'
import { startProxy, type Proxy } from './proxy.ts'

const box = (id: string, more: Partial<Box> = {}): Box => ({ id, name: id, ...more })

async function opened(options: PostgresOptions): Promise<PostgresStore> {
  const store = await openPostgres({ collections: [boxes], ...options })
  onTestFinished(() => store.close())
  return store
}

async function behindProxy(times: PostgresOptions['times'] = {}): Promise<{ store: PostgresStore; proxy: Proxy }> {
  const proxy = await startProxy(await testPlace())
  return { proxy, store: await opened({ url: proxy.url, times }) }
}

const unavailable = { reason: 'ENGINE_UNAVAILABLE', details: { retryAfterSeconds: 1 } }

/** Returns a gate, which opens once `count` callers have arrived; later callers pass immediately. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = count
  return () => {
    left -= 1
    if (left === 0) resolve()
    return promise
  }
}

describe('a transaction on PostgreSQL', () => {
  it('that PostgreSQL aborts in a deadlock runs again', async () => {
    const store = await opened({ url: withOptions(await testPlace(), '-c deadlock_timeout=20ms') })
    await store.tx(async tx => {
      for (const id of ['a', 'b']) await tx.insert(boxes, box(id, { size: 0 }))
    })
    const met = meeting(2)
    let runs = 0
    const addTo = (first: string, second: string): Promise<void> =>
      store.tx(async tx => {
        runs += 1
        for (const id of [first, second]) {
          const row = await tx.lock(boxes, id)
          if (row) await tx.update(boxes, id, { ...row.value, size: (row.value.size ?? 0) + 1 }, row.version)
          if (id === first) await met()
        }
      })
    await Promise.all([addTo('a', 'b'), addTo('b', 'a')])
    expect(runs).toBe(3)
    expect([(await store.get(boxes, 'a'))?.value.size, (await store.get(boxes, 'b'))?.value.size]).toEqual([2, 2])
  })

  it('that cannot be serialized runs again, even if it hides the error', async () => {
    const url = withOptions(await testPlace(), '-c default_transaction_isolation=serializable')
    const store = await opened({ url })
    await store.tx(async tx => {
      for (const id of ['a', 'b']) await tx.insert(boxes, box(id, { parent: 'p' }))
    })
    const met = meeting(2)
    let runs = 0
    const leave = (id: string): Promise<void> =>
      store.tx(async tx => {
        runs += 1
        const left = await tx.count(boxes, { parent: 'p' })
        await met()
        if (left < 2) return
        const hide = (error: unknown): never => {
          throw new Error('hidden', { cause: error })
        }
        await tx.update(boxes, id, box(id, { parent: 'q' }), 1).catch(hide)
      })
    await Promise.all([leave('a'), leave('b')])
    expect(runs).toBe(3)
    expect(await store.count(boxes, { parent: 'p' })).toBe(1)
  })

  it('whose connection is lost before its commit runs again', async () => {
    const { store, proxy } = await behindProxy()
    let runs = 0
    await store.tx(async tx => {
      runs += 1
      if (runs === 1) proxy.cutAt('INSERT INTO', 'after')
      await tx.insert(boxes, box('a'))
    })
    expect([runs, await store.count(boxes)]).toEqual([2, 1])
  })

  it.each([
    ['before', 0],
    ['after', 1],
  ] as const)(
    'whose connection is lost during its commit does not run again, lost %s the server received the commit',
    async (when, kept) => {
      const { store, proxy } = await behindProxy()
      let runs = 0
      const hooks: string[] = []
      const failing = store.tx(async tx => {
        runs += 1
        await tx.insert(boxes, box('a'))
        tx.afterCommit(() => hooks.push('called'))
        proxy.cutAt('COMMIT', when)
      })
      await expect(failing).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('may have done so'),
      })
      expect([runs, hooks, await store.count(boxes)]).toEqual([1, [], kept])
    },
  )

  it.each([
    ['a row', { lockMs: 50 }],
    ['the end of a statement', { statementMs: 50 }],
  ])('does not wait for %s forever', async (_name, times) => {
    const store = await opened({ url: await testPlace(), times })
    await store.tx(tx => tx.insert(boxes, box('a')))
    const [held, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = store.tx(async tx => {
      await tx.lock(boxes, 'a')
      held.resolve()
      await done.promise
    })
    await held.promise
    await expect(store.tx(tx => tx.lock(boxes, 'a'))).rejects.toMatchObject(unavailable)
    done.resolve()
    await holding
    expect((await store.tx(tx => tx.lock(boxes, 'a')))?.id).toBe('a')
  })

  it('that idles too long is ended by PostgreSQL and runs again', async () => {
    const url = await testPlace()
    const [store, other] = [await opened({ url, times: { idleMs: 40 } }), await opened({ url })]
    let runs = 0
    const size = await store.tx(async tx => {
      runs += 1
      const row = await tx.lock(boxes, 'a')
      if (row) return row.value.size
      await tx.insert(boxes, box('a', { size: 1 }))
      // This insert waits until PostgreSQL has rolled back the idle transaction, which inserted the same id.
      await other.tx(inner => inner.insert(boxes, box('a', { size: 2 })))
      return 1
    })
    expect([runs > 1, size]).toEqual([true, 2])
  })
})

describe('a store whose server', () => {
  it('is unreachable responds with ENGINE_UNAVAILABLE, and continues when the server is back', async () => {
    const { store, proxy } = await behindProxy()
    await store.tx(tx => tx.insert(boxes, box('a')))
    await proxy.down()
    await expect(store.get(boxes, 'a')).rejects.toMatchObject(unavailable)
    await expect(store.tx(tx => tx.insert(boxes, box('b')))).rejects.toMatchObject(unavailable)
    await proxy.up()
    expect((await store.get(boxes, 'a'))?.id).toBe('a')
    await store.tx(tx => tx.insert(boxes, box('b')))
    expect(await store.count(boxes)).toBe(2)
  })

  it.each([
    ['53100', 'the disk of the store is full; try again when there is room'],
    ['53200', 'the store has not what it needs; try again later'],
    ['58030', 'the store has not what it needs; try again later'],
    ['25006', 'the store cannot be written; try again later'],
  ])(
    'cannot write for now (SQLSTATE %s) reports the fault, and continues when the server can',
    async (state, message) => {
      const url = await testPlace()
      const store = await opened({ url })
      const failing = `CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now' USING ERRCODE = '${state}'; END $$`
      await statement(url, failing)
      await statement(url, 'CREATE TRIGGER failing BEFORE INSERT ON test_boxes FOR EACH ROW EXECUTE FUNCTION failing()')
      await expect(store.tx(tx => tx.insert(boxes, box('a')))).rejects.toMatchObject({ ...unavailable, message })
      await statement(url, 'DROP TRIGGER failing ON test_boxes')
      await store.tx(tx => tx.insert(boxes, box('a')))
      expect(await store.count(boxes)).toBe(1)
    },
  )

  it('was restarted reads on another connection', async () => {
    const { store, proxy } = await behindProxy()
    await store.tx(tx => tx.insert(boxes, box('a')))
    await proxy.down()
    await proxy.up()
    expect((await store.get(boxes, 'a'))?.id).toBe('a')
  })

  it('is silent ends a wait at its limit', async () => {
    const { store, proxy } = await behindProxy({ answerMs: 80, connectMs: 80 })
    await store.tx(tx => tx.insert(boxes, box('a')))
    proxy.silence()
    await expect(store.get(boxes, 'a')).rejects.toMatchObject(unavailable)
    await expect(store.tx(tx => tx.insert(boxes, box('b')))).rejects.toMatchObject(unavailable)
  })

  it('cannot be reached reports the fault without the password', async () => {
    const address = new URL(await testPlace())
    address.password = 'hunter2'
    const proxy = await startProxy(address.href)
    const store = await openPostgres({ url: proxy.url, collections: [boxes] })
    expect(inspect(store, { depth: 20, showHidden: true })).not.toContain('hunter2')
    await proxy.down()
    const errors = await Promise.all(
      [store.get(boxes, 'a'), openPostgres({ url: proxy.url })].map(failing =>
        failing.catch((error: unknown) => error),
      ),
    )
    await store.close()
    for (const error of errors) {
      expect(error).toBeInstanceOf(ApiError)
      expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('hunter2')
    }
  })
})

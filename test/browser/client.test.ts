import { once } from 'node:events'
import { build } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { findChromium, openPage } from './chromium.ts'
import type { Report } from './program.ts'
import { createNotes, type Seen } from './service.ts'

const chromium = findChromium()

describe.skipIf(chromium === undefined)(
  'a generated client in headless Chromium (install chromium to run this)',
  () => {
    let report: Partial<Report> = {}
    const seen: Seen = { aborted: 0, keys: [] }
    beforeAll(async () => {
      report = await reportOf(chromium ?? '', seen)
    })

    test.each<[keyof Report, unknown]>([
      ['create', { text: 'buy milk', hasId: true }],
      ['list', { texts: ['five', 'four'], hasMore: true }],
      ['iterate', ['five', 'four', 'one', 'three', 'two']],
      ['retry', 'after 503'],
      ['upload', 300_003],
      ['download', { bytes: 300_003, end: 'end' }],
      ['abort', 'AbortError'],
    ])('%s', (step, expected) => expect(report[step]).toEqual(expected))

    test.each<[keyof Report, object]>([
      [
        'fieldError',
        {
          reason: 'FIELD_INVALID',
          rpc: 'INVALID_ARGUMENT',
          status: 400,
          hasRequestId: true,
          details: { badRequest: [{ field: 'text', description: 'must not be empty' }] },
        },
      ],
      ['declaredError', { reason: 'NOTE_NOT_FOUND', rpc: 'NOT_FOUND', status: 404 }],
      ['declaredErrorOfUpload', { reason: 'NOTE_FULL', metadata: { limit: '400000' } }],
      ['deadline', { reason: 'DEADLINE_EXCEEDED' }],
      ['connectionLost', { reason: 'CONNECTION_FAILED', rpc: 'UNAVAILABLE' }],
    ])('%s', (step, expected) => expect(report[step]).toMatchObject(expected))

    test('a call that the page aborts is aborted in the server, by a signal or by its timeout', () => {
      expect(seen.aborted).toBe(2)
    })

    test('a retry has the Idempotency-Key of the first attempt', () => {
      const [first] = seen.keys
      expect(first).toMatch(/^[\w-]{36}$/)
      expect(seen.keys).toEqual([first, first])
    })
  },
)

/** Serves the page and its API on one origin, opens the page in Chromium, and returns the report of the page. */
async function reportOf(program: string, seen: Seen): Promise<Partial<Report>> {
  const reported = Promise.withResolvers<Partial<Report>>()
  const server = createNotes(await bundle(), seen, value => reported.resolve(Object(value)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  try {
    await using browser = openPage(program, `http://127.0.0.1:${port}/`)
    const early = browser.ended.then(printed => Promise.reject(new Error(`chromium ended: ${printed}`)))
    return await Promise.race([reported.promise, early])
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

async function bundle(): Promise<string> {
  const result = await build({
    entryPoints: [`${import.meta.dirname}/program.ts`],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    write: false,
  })
  return result.outputFiles[0]?.text ?? ''
}

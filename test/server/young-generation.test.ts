import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from './programs.ts'

const program = fileURLToPath(new URL('surviving-objects.ts', import.meta.url))

/** Returns the largest size of the young generation of a program whose objects survive, in MiB. */
async function largestMib(mode: 'limited' | 'unlimited'): Promise<number> {
  const { output, errors } = await run(process.execPath, [program, mode])
  expect(errors).toBe('')
  return Number(output)
}

describe('the young generation of the heap', () => {
  it('grows to about 16 MiB after it was kept at its first size', async () => {
    const mib = await largestMib('limited')
    expect(mib).toBeGreaterThan(4)
    expect(mib).toBeLessThanOrEqual(32)
  })

  it('grows further without the limit', async () => {
    expect(await largestMib('unlimited')).toBeGreaterThan(32)
  })
})

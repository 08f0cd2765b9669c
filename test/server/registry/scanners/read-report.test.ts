import { describe, expect, it } from 'vitest'
import { ScannerFault } from '../../../../domain/registry/scanning/external-scanner.ts'
import { parseReport } from '../../../../server/registry/scanners/harbor-report.ts'
import { readReport } from '../../../../server/registry/scanners/read-report.ts'
import { mib, watched } from '../layers/hostile-layers.ts'

const { signal } = new AbortController()

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const faultOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'none',
    (error: unknown) => (error instanceof ScannerFault ? error.message : String(error)),
  )

/** Returns a report of about 8 MiB. */
const largeReport = (): string =>
  JSON.stringify({
    scanner: { version: '1.0.0' },
    vulnerabilities: Array.from({ length: 20_000 }, (_, i) => ({
      id: `CVE-${i}`,
      package: `package-${i}`,
      version: '1.0',
      fix_version: '1.1',
      severity: 'High',
      description: 'An overflow of a buffer. '.repeat(8),
      links: [`https://example.com/CVE-${i}`],
      preferred_cvss: { score_v3: 9.8, vector_v3: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
    })),
  })

describe('a report of a scanner', () => {
  it('of many findings is read without holding the event loop', async () => {
    const text = largeReport()
    const started = performance.now()
    const expected = parseReport(text)
    const inPlaceMs = performance.now() - started
    const pauses: number[] = []
    for (let i = 0; i < 3; i += 1) {
      const { pauseMs, result } = await watched(() => readReport(bytesOf(text), signal))
      expect(result).toEqual(expected)
      pauses.push(pauseMs)
    }
    // Other programs on the machine may hold the loop too, so the best of three counts.
    expect(Math.min(...pauses)).toBeLessThan(inPlaceMs / 2)
  })

  it.each([
    ['of no findings', '{}', 'none'],
    ['that is no JSON', '{', 'the answer of the scanner is no JSON object'],
    ['that nests too deep', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, 'the answer of the scanner is no JSON object'],
    [
      'whose values take many times its bytes',
      `{"vulnerabilities":[${'{},'.repeat(mib)}0]}`,
      'the report of the scanner takes more than 24 MiB of memory to read',
    ],
  ])('%s has a result or a fault of the scanner', async (_, text, expected) => {
    const limits = { heapMib: 24, timeMs: 60_000 }
    expect(await faultOf(readReport(bytesOf(text), signal, limits))).toBe(expected)
  })

  it('that takes too long has a fault of the scanner', async () => {
    const limits = { heapMib: 256, timeMs: 1 }
    expect(await faultOf(readReport(bytesOf(largeReport()), signal, limits))).toBe(
      'the report of the scanner takes more than 0.001 seconds to read',
    )
  })

  it('is not read to the end once the scan is stopped', async () => {
    const stopping = new AbortController()
    const stopped = new Error('stopped')
    const reading = readReport(bytesOf(largeReport()), stopping.signal)
    stopping.abort(stopped)
    await expect(reading).rejects.toBe(stopped)
    await expect(readReport(bytesOf('{}'), stopping.signal)).rejects.toBe(stopped)
  })
})

import { describe, expect, it } from 'vitest'
import { ScannerFault } from '../../../../domain/registry/scanning/external-scanner.ts'
import { findingsIn } from '../../../../server/registry/scanners/harbor-report.ts'
import { readReport } from '../../../../server/registry/scanners/read-report.ts'
import { threadCpuMs } from '../../../cpu-time.ts'
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
    const before = threadCpuMs()
    const findings = [...findingsIn(bytesOf(text))]
    const inPlaceMs = threadCpuMs() - before
    const pauses: number[] = []
    for (let i = 0; i < 3; i += 1) {
      const { pauseMs, result } = await watched(() => readReport(bytesOf(text), signal))
      expect(result).toEqual({ version: '1.0.0', findings })
      pauses.push(pauseMs)
    }
    // The garbage of other work may be collected meanwhile, so the best of three counts.
    expect(Math.min(...pauses)).toBeLessThan(inPlaceMs / 2)
  })

  const item = '{"id":"CVE-1","package":"zlib","x":["}\\"]",{"]":[[1]]}]}'
  const many = (count: number, text: string): string => Array<string>(count).fill(text).join()

  it.each([
    ['of no findings', '{"vulnerabilities": []}', 'none'],
    ['of no findings, as Go writes it', '{"severity":"Unknown","vulnerabilities":null}', 'none'],
    ['with a byte order mark and white space', `\ufeff \n{\t"vulnerabilities" : [ ${item} ,\r\n${item} ] } `, 'none'],
    ['whose members stand in another order', `{"vulnerabilities":[${item}],"scanner":{"version":"1"},"a":1}`, 'none'],
    ['of an error', '{"error":{"message":"busy"}}', 'the report of the scanner has no list of vulnerabilities'],
    ['that is empty', '{}', 'the report of the scanner has no list of vulnerabilities'],
    ['without a list', '{"vulnerabilities": {}}', 'the report of the scanner has no list of vulnerabilities'],
    [
      'of a finding that is none',
      '{"vulnerabilities": [0]}',
      'the report of the scanner has a vulnerability without an id or a package',
    ],
    [
      'of too many findings',
      `{"vulnerabilities":[${many(20_001, item)}]}`,
      'the report of the scanner has more than 20000 vulnerabilities',
    ],
    ...['', ' ', 'no', '{', '[]', '1', '"a"', '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{1:2}', '{"a":1}}'].map(
      text => [`that is the text ${text || 'of no bytes'}`, text, 'the answer of the scanner is no JSON object'],
    ),
    ...['[1', '[1}', '[1 2]', '[1,]', '[,1]', '["a]', '[tru]', '["\\x"]', `[${'['.repeat(101)}${']'.repeat(101)}]`].map(
      text => [`with the list ${text.slice(0, 9)}`, `{"b":${text}}`, 'the answer of the scanner is no JSON object'],
    ),
    ['that is cut off', `{"vulnerabilities":[${item}`, 'the answer of the scanner is no JSON object'],
    ['with more behind it', `{"vulnerabilities":[]} {}`, 'the answer of the scanner is no JSON object'],
    ['that nests too deep', `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, 'the answer of the scanner is no JSON object'],
    ...[`"${'a'.repeat(300_000)}"`, `[${many(150_000, '1')}]`, '1'.repeat(300_000), `["${'a'.repeat(300_000)}`].map(
      text => [
        `with the long value ${text.slice(0, 5)}`,
        `{"a":${text}}`,
        'a value of the report of the scanner has more than 262144 bytes',
      ],
    ),
  ])('%s has a result or a fault of the scanner', async (_, text = '', expected) => {
    expect(await faultOf(readReport(bytesOf(text), signal))).toBe(expected)
  })

  /** Returns a report of 16 MiB with as many items as it has room for. */
  const filled = (itemOf: (i: number) => string): string => {
    const items: string[] = []
    for (let bytes = 0; bytes < 16 * mib; bytes += Buffer.byteLength(items.at(-1) ?? '') + 1)
      items.push(itemOf(items.length))
    return items.slice(0, -2).join()
  }
  const finding = (i: number, more: string): string => `{"id":"CVE-${i}","package":"a",${more}}`

  it.each([
    ['members alone', () => `{${filled(i => `"${i}":1`)}}`],
    ['items that are empty', () => `{"vulnerabilities":[${filled(() => '{}')}]}`],
    ['short links', () => `{"vulnerabilities":[${filled(i => finding(i, `"links":[${many(60, '"http://a"')}]`))}]}`],
    ['short fixes', () => `{"vulnerabilities":[${filled(i => finding(i, `"fix_version":"${many(250, '10')}"`))}]}`],
    ['wide texts', () => `{"vulnerabilities":[${filled(i => finding(i, `"description":"ā${'x'.repeat(1990)}"`))}]}`],
    [
      'values beside the findings',
      () => `{"vulnerabilities":[${filled(i => finding(i, `"x":[${many(80_000, '{}')}]`))}]}`,
    ],
  ])('of 16 MiB of %s takes bounded memory and time', async (_, made) => {
    const bytes = bytesOf(made())
    const { grownMib, seconds } = await watched(() => readReport(bytes, signal).catch(() => undefined))
    expect(grownMib).toBeLessThan(128)
    expect(seconds).toBeLessThan(30)
  })

  it('has the first 50 links of the web and the first 20 fixes of a finding', async () => {
    const links = ['javascript:alert(1)', 'CVE-1', ...Array.from({ length: 60 }, (_, i) => `https://example.com/${i}`)]
    const fix_version = Array.from({ length: 30 }, (_, i) => `1.${i}`).join(', ')
    const text = JSON.stringify({ vulnerabilities: [{ id: 'CVE-1', package: 'zlib', links, fix_version }] })
    const { findings } = await readReport(bytesOf(text), signal)
    expect(findings[0]?.references).toEqual(links.slice(2, 52))
    expect(findings[0]?.fixed_versions).toEqual(Array.from({ length: 20 }, (_, i) => `1.${i}`))
  })

  it('that takes too much memory has a fault of the scanner', async () => {
    const limits = { heapMib: 4, timeMs: 60_000 }
    expect(await faultOf(readReport(bytesOf(largeReport()), signal, limits))).toBe(
      'the report of the scanner takes more than 4 MiB of memory to read',
    )
  })

  it('that takes too long has a fault of the scanner', async () => {
    const limits = { heapMib: 64, timeMs: 1 }
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
    await expect(readReport(bytesOf('{"vulnerabilities":[]}'), stopping.signal)).rejects.toBe(stopped)
  })
})

import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { FoundPackage } from '../../../../domain/registry/scanning/inventory.ts'
import { OsvDatabase } from '../../../../server/registry/advisories/osv-database.ts'
import { logLines } from '../../operations/work-bench.ts'
import { testFolder } from '../../store/harness.ts'
import { recordText, type SampleRecord } from './records.ts'
import { makeZip } from './zip-maker.ts'

const openssl: SampleRecord = {
  id: 'DSA-T-1',
  ecosystem: 'Debian:12',
  name: 'openssl',
  fixed: '3.0.11-1~deb12u2',
}

const left: SampleRecord = { id: 'GHSA-l', ecosystem: 'npm', name: 'left-pad', fixed: '1.3.0' }

const installed = (ecosystem: string, name: string, version: string): FoundPackage => ({
  ecosystem,
  name,
  version,
  purl: '',
  path: 'status',
  layer_digest: '',
})

const opensslInstalled = installed('Debian:12', 'openssl', '3.0.11-1~deb12u1')
const leftInstalled = installed('npm', 'left-pad', '1.2.0')

const noSignal = new AbortController().signal

/** A folder of an operator, and what is needed to open its advisories. */
function operator() {
  const folder = testFolder()
  const log = logLines()
  const parts = { folder, dataDir: testFolder(), log, everyMs: 10 }
  let minutes = 0
  return {
    folder,
    log,
    dataDir: parts.dataDir,
    file: join(parts.dataDir, 'registry-advisories.db'),
    /** Writes a file of the folder, with a time of its own. */
    put(path: string, content: string | Uint8Array): void {
      const file = join(folder, path)
      writeFileSync(`${file}.part`, content)
      minutes++
      utimesSync(`${file}.part`, minutes * 60, minutes * 60)
      renameSync(`${file}.part`, file)
    },
    faults: () => log.lines.filter(({ level }) => level !== 'info').map(({ fields }) => fields),
    open(): OsvDatabase {
      const database = new OsvDatabase(parts)
      onTestFinished(() => database.end())
      return database
    },
  }
}

/** Waits until the findings about both packages have these ids. */
async function untilFound(database: OsvDatabase, ids: readonly string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      const findings = await database.match([opensslInstalled, leftInstalled], noSignal)
      expect(findings.map(({ id }) => id)).toEqual(ids)
    },
    { timeout: 60_000, interval: 20 },
  )
}

const untilLoaded = (database: OsvDatabase) =>
  vi.waitFor(() => expect(database.state()).toBeDefined(), { timeout: 60_000, interval: 20 })

describe('the advisories of a folder', () => {
  it('find a critical vulnerability that has a fix, and nothing in the fixed version', async () => {
    const { open, put } = operator()
    put('DSA-T-1.json', recordText(openssl))
    const database = open()
    await untilLoaded(database)
    const found = { name: 'openssl', version: '3.0.11-1~deb12u1', ecosystem: 'Debian:12', purl: '', path: 'status' }
    expect(await database.match([opensslInstalled], noSignal)).toEqual([
      {
        id: 'DSA-T-1',
        aliases: [],
        severity: 'REGISTRY_SEVERITY_CRITICAL',
        cvss: [{ version: '3.1', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', score: 9.8 }],
        package: { ...found, layer_digest: '' },
        fixed_versions: ['3.0.11-1~deb12u2'],
        summary: '',
        references: [],
      },
    ])
    const others = [
      installed('Debian:12', 'openssl', '3.0.11-1~deb12u2'),
      installed('Debian:11', 'openssl', '3.0.11-1~deb12u1'),
      installed('Debian:12', 'openssh', '3.0.11-1~deb12u1'),
    ]
    expect(await database.match(others, noSignal)).toEqual([])
  })

  it('say their ecosystems and the time of the newest, which is not that of a withdrawn one', async () => {
    const { open, put } = operator()
    put(
      'npm.zip',
      makeZip([{ name: 'a.json', content: recordText({ ...left, more: { modified: '2026-03-01T00:00:00Z' } }) }]),
    )
    put('a.json', recordText(openssl))
    const more = { modified: '2026-05-01T00:00:00Z', withdrawn: '2026-05-01T00:00:00Z' }
    put('b.json', recordText({ id: 'GHSA-w', ecosystem: 'Go', name: 'a', fixed: '1', more }))
    const database = open()
    await untilLoaded(database)
    expect(database.state()).toMatchObject({ version: 'Debian:12,npm', timeMs: Date.UTC(2026, 2, 1) })
  })

  it('are none without a record', async () => {
    const { log, open, put } = operator()
    put('readme.txt', 'none')
    const database = open()
    await vi.waitFor(() => expect(log.lines.map(({ fields }) => fields)).toMatchObject([{ records: 0 }]), 30_000)
    expect(database.state()).toBeUndefined()
    expect(await database.match([opensslInstalled], noSignal)).toEqual([])
  })

  it('follow files that come, change, and go, and archives in folders', async () => {
    const { folder, open, put } = operator()
    mkdirSync(join(folder, 'npm'))
    put('a.json', recordText(openssl))
    put('npm/all.zip', makeZip([{ name: 'l.json', content: recordText(left) }]))
    const database = open()
    await untilFound(database, ['DSA-T-1', 'GHSA-l'])
    const first = database.state()
    put('a.json', recordText({ ...openssl, id: 'DSA-T-2' }))
    await untilFound(database, ['DSA-T-2', 'GHSA-l'])
    expect(database.state()).not.toBe(first)
    expect(database.state()?.content).not.toBe(first?.content)
    rmSync(join(folder, 'npm/all.zip'))
    await untilFound(database, ['DSA-T-2'])
    put('npm/b.json', recordText({ ...left, id: 'GHSA-2' }))
    await untilFound(database, ['DSA-T-2', 'GHSA-2'])
  })

  it('are at hand at once after a restart, and not made again', async () => {
    const { log, open, put } = operator()
    put('a.json', recordText(openssl))
    const first = open()
    await untilLoaded(first)
    await first.end()
    const second = open()
    expect(second.state()).toEqual(first.state())
    await untilFound(second, ['DSA-T-1'])
    expect(log.lines.filter(({ level }) => level === 'info')).toHaveLength(1)
  })

  it('are made again if their file is damaged', async () => {
    const { file, open, put } = operator()
    put('a.json', recordText(openssl))
    for (const damage of ['no database', 'SQLite format 3\0 and no more']) {
      writeFileSync(file, damage)
      const database = open()
      await untilFound(database, ['DSA-T-1'])
      await database.end()
    }
  })

  it('are imported over what a killed import has left', async () => {
    const { file, open, put } = operator()
    put('a.json', recordText(openssl))
    for (const left of ['.new', '.new-journal']) writeFileSync(`${file}${left}`, 'half of something')
    await untilFound(open(), ['DSA-T-1'])
    expect(existsSync(`${file}.new`)).toBe(false)
  })

  it('count the newest record of an id, whatever file has it', async () => {
    const { open, put } = operator()
    const newer = { modified: '2026-06-01T00:00:00Z' }
    put('a.json', recordText({ ...openssl, more: newer, fixed: '3.0.10-1' }))
    put('b.json', recordText(openssl))
    put('c.json', recordText(left))
    put(
      'd.zip',
      makeZip([{ name: 'x.json', content: recordText({ ...left, more: { ...newer, withdrawn: newer.modified } }) }]),
    )
    put('e.json', recordText({ ...left, id: 'GHSA-3' }))
    await untilFound(open(), ['GHSA-3'])
  })

  it('take scores from the records of aliases', async () => {
    const { open, put } = operator()
    put('a.json', recordText({ ...openssl, vector: 'none', more: { upstream: ['CVE-1'] } }))
    put('b.json', JSON.stringify({ ...JSON.parse(recordText(openssl)), id: 'CVE-1', affected: [] }))
    const database = open()
    await untilLoaded(database)
    expect(await database.match([opensslInstalled], noSignal)).toMatchObject([
      { id: 'DSA-T-1', aliases: ['CVE-1'], severity: 'REGISTRY_SEVERITY_CRITICAL', cvss: [{ score: 9.8 }] },
    ])
  })
})

describe('broken files of advisories', () => {
  const archive = makeZip([
    { name: 'a.json', content: recordText(openssl) },
    { name: 'b.json', content: '{"id":' },
    { name: 'c.json', content: '{"id":"A-1"}' },
    { name: 'd.json', content: '['.repeat(200_000) },
  ])

  it('lose their broken records alone, and are named in the log', async () => {
    const { faults, open, put } = operator()
    put('all.zip', archive)
    await untilFound(open(), ['DSA-T-1'])
    expect(faults()).toMatchObject([{ path: 'all.zip', broken: 3 }])
  })

  it('keep their last advisories if they cannot be read', async () => {
    const { faults, open, put } = operator()
    put('all.zip', archive)
    put('left.json', recordText(left))
    const database = open()
    await untilFound(database, ['DSA-T-1', 'GHSA-l'])
    put('all.zip', archive.subarray(0, 100))
    put('left.json', recordText(left).slice(0, 50))
    await vi.waitFor(() => expect(faults()).toHaveLength(3), { timeout: 60_000 })
    expect(faults()).toMatchObject([
      { path: 'all.zip' },
      { path: 'all.zip', broken: 0 },
      { path: 'left.json', broken: 1 },
    ])
    await untilFound(database, ['DSA-T-1', 'GHSA-l'])
    put('all.zip', makeZip([{ name: 'a.json', content: recordText({ ...openssl, id: 'DSA-T-9' }) }]))
    await untilFound(database, ['DSA-T-9', 'GHSA-l'])
  })

  it('and a folder that is gone are logged once, and the advisories stay', async () => {
    const { faults, folder, open, put } = operator()
    put('a.json', recordText(openssl))
    const database = open()
    await untilFound(database, ['DSA-T-1'])
    renameSync(folder, `${folder}-moved`)
    onTestFinished(() => rmSync(`${folder}-moved`, { recursive: true, force: true }))
    await vi.waitFor(() => expect(faults()).toHaveLength(1), { timeout: 60_000 })
    await untilFound(database, ['DSA-T-1'])
    renameSync(`${folder}-moved`, folder)
    put('b.json', recordText(left))
    await untilFound(database, ['DSA-T-1', 'GHSA-l'])
    expect(faults()).toHaveLength(1)
  })
})

describe('a comparison with many advisories', () => {
  async function crowded() {
    const { file, open, put } = operator()
    const records = Array.from({ length: 8000 }, (_, i) =>
      recordText({ ...openssl, id: `DSA-${i}-1`, name: 'linux', fixed: `6.1.${i % 200}-1` }),
    )
    put('Debian.zip', makeZip(records.map((content, i) => ({ name: `${i}.json`, content }))))
    const database = open()
    await untilLoaded(database)
    return { database, file }
  }
  const linux = installed('Debian:12', 'linux', '6.1.100-1')

  it('lets other work run in between, and outlives its database', async () => {
    const { database, file } = await crowded()
    const other = { turns: 0, isEnded: false }
    const counted = (async () => {
      for (; !other.isEnded; other.turns++) await otherWork()
    })()
    const matching = database.match([linux], noSignal)
    await database.end()
    rmSync(file)
    const findings = await matching
    other.isEnded = true
    await counted
    expect(findings).toHaveLength(3960)
    expect(other.turns).toBeGreaterThan(5)
    expect(existsSync(file)).toBe(false)
  })

  it('ends early once it is aborted', async () => {
    const { database } = await crowded()
    const controller = new AbortController()
    const matching = database.match([linux], controller.signal)
    controller.abort(new Error('enough'))
    await expect(matching).rejects.toThrow('enough')
    await expect(database.match([linux], controller.signal)).rejects.toThrow('enough')
  })
})

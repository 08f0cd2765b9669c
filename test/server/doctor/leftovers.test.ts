import { sampleArea } from '../sample-area.ts'
import { copyFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openPlatform } from '../../areas/open-platform.ts'
import { doctor } from '../../../server/doctor/doctor.ts'
import { testAccess } from '../access/test-access.ts'
import { testFolder } from '../store/harness.ts'

/** Makes a data folder with the files that a stopped server leaves. */
async function leftFolder(): Promise<string> {
  const dataDir = testFolder()
  const platform = await openPlatform({ config: { dataDir }, areas: [sampleArea()], openAccess: testAccess })
  await platform.close()
  return dataDir
}

async function told(dataDir: string): Promise<readonly string[]> {
  const lines: string[] = []
  await doctor({ place: { dataDir }, areas: [sampleArea()], isJson: false, print: line => void lines.push(line) })
  return lines
}

const id = '01a2210c-c3ad-41cd-b4c5-a4a681bcdff3'

describe('the doctor', () => {
  it('reports no file that belongs to a data folder', async () => {
    expect(await told(await leftFolder())).toEqual([expect.stringContaining('nothing is wrong')])
  })

  it.each<[string, string]>([
    [`.monday.sqlite.${id}.partial`, 'is what a backup that was cut off has left; delete it'],
    [`.monday.sqlite.${id}.partial-journal`, 'is what a backup that was cut off has left; delete it'],
    ['ninefold.sqlite.incoming', 'is what a restore that was cut off has left; delete it'],
    ['ninefold.sqlite.incoming-journal', 'is what a restore that was cut off has left; delete it'],
    ['ninefold.lock-journal', 'is what a restore that was cut off has left beside the lock; it does no harm'],
  ])('reports %s, with a remedy', async (name, message) => {
    const dataDir = await leftFolder()
    writeFileSync(join(dataDir, name), '')
    const [line, summary] = await told(dataDir)
    expect(line).toContain(`ninefold.folder ${join(dataDir, name)}: ${message}`)
    expect(summary).toContain('1 finding')
  })

  it('reports a restored store that waits for the next start', async () => {
    const dataDir = await leftFolder()
    const restored = join(dataDir, 'ninefold.sqlite.restored-20260301120000')
    copyFileSync(join(dataDir, 'ninefold.sqlite'), restored)
    expect((await told(dataDir))[0]).toContain(
      `${restored}: is a restored store that is not in its place yet; the next`,
    )
  })

  it('reports the restored store even if the old store was already moved', async () => {
    const dataDir = await leftFolder()
    const restored = join(dataDir, 'ninefold.sqlite.restored-20260301120000')
    renameSync(join(dataDir, 'ninefold.sqlite'), restored)
    await expect(told(dataDir)).rejects.toThrow(
      `${restored} is a restored store that is not in its place yet; "ninefold`,
    )
  })
})

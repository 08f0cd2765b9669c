import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listSources } from '../../../../server/registry/advisories/source-files.ts'
import { systemCode } from '../../../../server/store/sqlite/store-file.ts'
import { testFolder } from '../../store/harness.ts'

describe('the files of advisories', () => {
  it.each(['', 'below'])('are not said to be gone if the folder "%s" goes away while it is listed', async name => {
    const folder = testFolder()
    const listed = join(folder, name)
    await mkdir(listed, { recursive: true })
    for (let i = 0; i < 3000; i += 1) writeFileSync(join(listed, `${i}.json`), '{}')
    expect(await listSources(folder)).toHaveLength(3000)
    const listing = listSources(folder).then(() => 'listed', systemCode)
    // The listing looks at no more than one file in each turn of the event loop, so it is not at its end.
    for (let turn = 0; turn < 2900; turn += 1) await otherWork()
    renameSync(listed, `${folder}-moved`)
    onTestFinished(() => rmSync(`${folder}-moved`, { recursive: true, force: true }))
    expect(await listing).toBe('ENOENT')
  })

  it('are listed without links that lead nowhere', async () => {
    const folder = testFolder()
    writeFileSync(join(folder, 'a.json'), '{}')
    symlinkSync(join(folder, 'nothing'), join(folder, 'b.json'))
    expect((await listSources(folder)).map(({ path }) => path)).toEqual(['a.json'])
    symlinkSync(join(folder, 'c.json'), join(folder, 'c.json'))
    await expect(listSources(folder)).rejects.toThrow('ELOOP')
  })
})

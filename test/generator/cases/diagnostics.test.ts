import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generation, newFolder, plainOptions, removeFolder } from '../generation.ts'
import { said } from './diagnostics.ts'
import { caseRuns, casesFolder } from './documents.ts'

const invalid = ['duplicate-operation-ids-across-tags', 'invalid-path-param-undeclared', 'invalid-ref-target'] as const

describe('the messages about the documents in test/cases', () => {
  test.each(caseRuns)('$name: exactly these, each with its place', async ({ name, files }) => {
    const { printed } = await generation(files, casesFolder)
    expect(printed).toEqual(said[name] ?? [])
  })

  test('the table names no unknown case', () => {
    expect(Object.keys(said).filter(name => !caseRuns.some(run => run.name === name))).toEqual([])
  })

  test.each(invalid)('%s writes nothing, and prints no stack and no [object Object]', async name => {
    const { files, model, printed } = await generation([`${name}.yaml`], casesFolder)
    expect(files.size).toBe(0)
    expect(model).toBeUndefined()
    expect(printed.some(line => / error /.test(line))).toBe(true)
    expect(printed.filter(line => /\n| at .+:\d+:\d+\)|\[object Object\]/.test(line))).toEqual([])
  })
})

/** Makes a folder with a copy of the cases in which the lines of all documents end in CR LF. */
function withCarriageReturns(): string {
  const folder = newFolder()
  onTestFinished(() => removeFolder(folder))
  cpSync(casesFolder, folder, { recursive: true })
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.yaml')) continue
    const path = join(folder, file)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))
  }
  return folder
}

describe('the same documents lead to the same bytes', () => {
  test.each(caseRuns)('$name twice', async ({ files }) => {
    const first = await generation(files, casesFolder)
    const second = await generation(files, casesFolder)
    expect([...second.files]).toEqual([...first.files])
    expect(second.printed).toEqual(first.printed)
  })

  test('with carriage returns', async () => {
    const folder = withCarriageReturns()
    for (const { files } of caseRuns) {
      const plain = await generation(files, casesFolder)
      const returned = await generation(files, folder)
      expect([...returned.files]).toEqual([...plain.files])
      expect(returned.printed).toEqual(plain.printed)
    }
  })

  test('with LF or CR LF in a literal block, whose line ends are those of YAML', async () => {
    const texts = await Promise.all(
      ['\n', '\r\n'].map(async end => {
        const folder = newFolder()
        onTestFinished(() => removeFolder(folder))
        const lines = ['openapi: 3.0.3', 'info:', '  title: a', '  version: "1"', 'paths: {}', 'components:']
        lines.push('  schemas:', '    A:', '      type: string', '      description: |', '        one', '        two')
        writeFileSync(join(folder, 'a.yaml'), lines.join(end) + end)
        const { files } = await generation(['a.yaml'], folder)
        return [...files]
      }),
    )
    expect(texts[1]).toEqual(texts[0])
  })

  test('in another order with the same messages, in the order of the document', async () => {
    const wordsOf = async (order: string): Promise<readonly (readonly string[])[]> => {
      const file = `same-document-two-orders/${order}.yaml`
      const { files } = await generation([file], casesFolder, plainOptions, [`${file}=same`])
      return [...files.values()].map(text => text.replace(file, '').split(/\W+/).sort())
    }
    expect(await wordsOf('two')).toEqual(await wordsOf('one'))
  })
})

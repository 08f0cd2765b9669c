import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { generation, newFolder, removeFolder } from '../generation.ts'
import { expectRefused, generatedFrom, head } from './refused.ts'

describe('references to unexpected targets', () => {
  const referring = (reference: string): string =>
    `${head}components:\n  schemas:\n    A:\n      type: object\n      properties:\n        a: {$ref: ${JSON.stringify(reference)}}\n`

  test.each([
    ['a file outside the folder', '../../../etc/passwd', 'reference-outside|file-unreadable'],
    ['an absolute path', '/etc/passwd', 'reference-remote'],
    ['a file URL', 'file:///etc/passwd', 'reference-remote|reference-outside|file-unreadable'],
    ['a web address', 'http://127.0.0.1:1/a.yaml', 'reference-remote'],
    ['a web address without a scheme', '//127.0.0.1:1/a.yaml', 'reference-remote|reference-outside|file-unreadable'],
    ['itself', '#/components/schemas/A/properties/a', 'reference-cycle'],
    ['a pointer without a slash', '#components', 'reference-pointer'],
    ['a broken escape', '#/%zz', 'reference-'],
    ['a broken pointer escape', '#/a~2b', 'reference-'],
    ['an inherited property', '#/constructor', 'reference-not-found'],
    ['the prototype', '#/__proto__/toString', 'reference-not-found'],
    ['the length of a list', '#/components/schemas/length', 'reference-not-found'],
    ['a folder', './', 'file-unreadable'],
    ['a null byte', 'a\u0000.yaml', 'reference-remote|file-unreadable'],
  ])('to %s', async (_, reference, code) => {
    expectRefused(
      await generatedFrom({ 'a.yaml': referring(reference) }),
      new RegExp(`^a\\.yaml:9:\\d+ error (?:${code})`),
    )
  })

  test('to each other in a cycle, through files', async () => {
    const files = {
      'a.yaml': `${head}components: {schemas: {A: {$ref: 'b.yaml'}}}\n`,
      'b.yaml': `$ref: c.yaml\n`,
      'c.yaml': `$ref: b.yaml\n`,
    }
    expectRefused(await generatedFrom(files), /error reference-cycle/)
  })

  test('to a link that leaves the folder', async () => {
    const folder = newFolder()
    onTestFinished(() => removeFolder(folder))
    writeFileSync(join(folder, 'a.yaml'), referring('link.yaml'))
    symlinkSync('/etc/passwd', join(folder, 'link.yaml'))
    expectRefused(await generation(['a.yaml'], folder), /^a\.yaml:9:\d+ error reference-outside/)
  })

  test('never show the content of a file that is not a document', async () => {
    const { printed } = await generatedFrom({ 'a.yaml': referring('secret.txt'), 'secret.txt': 'password: [hunter2' })
    expect(printed.join('\n')).not.toContain('hunter2')
  })
})

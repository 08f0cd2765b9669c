import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { generation, newFolder, removeFolder } from '../generation.ts'

const head = 'openapi: 3.0.3\ninfo: {title: a, version: "1"}\n'
const schemas = '"components":{"schemas":{"A":{"type":"string"}}}'
const whole = `${head}paths: {}\n`

/** Makes what `given` names in a folder. */
const made: Readonly<Record<string, (path: string) => void>> = {
  'a folder': path => mkdirSync(path),
  'a FIFO': path => execFileSync('mkfifo', [path]),
  'a link to itself': path => symlinkSync(path, path),
  'a link to nothing': path => symlinkSync('nothing.yaml', path),
  'a file of 200 MB': path => {
    writeFileSync(path, whole)
    truncateSync(path, 200_000_000)
  },
}

/** The bytes of files that are no documents, with the message about each. */
const files: Readonly<Record<string, readonly [bytes: string | Buffer, message: RegExp]>> = {
  'Swagger 2.0': ['swagger: "2.0"\n', /document-version: Swagger 2\.0 is not read; convert the document/],
  'an overlay': ['overlay: 1.0.0\n', /document-version: this is an overlay/],
  AsyncAPI: ['asyncapi: 3.0.0\n', /document-version: "asyncapi" documents describe something other/],
  'an HTML page': ['<!DOCTYPE html>\n<html><title>404: none</title></html>', /syntax: this is HTML or XML/],
  XML: ['<?xml version="1.0"?>\n<a/>', /syntax: this is HTML or XML/],
  'an empty file': ['', /not-an-object: the file is empty/],
  blanks: [' \n\n', /not-an-object: the file is empty/],
  'UTF-16 with a mark': [Buffer.from(`\ufeff${whole}`, 'utf16le'), /is not UTF-8 text, but UTF-16; save it as UTF-8$/],
  'UTF-16 without a mark': [Buffer.from(whole, 'utf16le').swap16(), /but UTF-16; save it as UTF-8$/],
  'a binary file': [
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0]),
    /file-not-text: "given\.yaml" is not UTF-8 text$/,
  ],
  zeros: [Buffer.alloc(3000), /file-not-text: "given\.yaml" is not UTF-8 text$/],
  'a list': ['- a\n', /not-an-object: the file must hold an object/],
  'two documents': [`---\n${whole}---\n${whole}`, /syntax: cannot be parsed: "expected a single document/],
}

const others: Readonly<Record<string, RegExp>> = {
  'a folder': /file-unreadable: "given\.yaml" cannot be read: it is a folder/,
  'a FIFO': /file-unreadable: "given\.yaml" cannot be read: it is no file/,
  'a link to itself': /cannot be read: its symbolic links go in a circle/,
  'a link to nothing': /cannot be read: it does not exist/,
  'a file of 200 MB': /file-too-large: "given\.yaml" is larger than 64 MiB/,
}

const folderOf = (): string => {
  const folder = newFolder()
  onTestFinished(() => removeFolder(folder))
  return folder
}

const expectOneLine = (printed: readonly string[], message: RegExp): void => {
  expect(printed).toEqual([expect.stringMatching(/^[^\n]{1,300}$/)])
  expect(printed[0]).toMatch(message)
}

test.each(Object.entries(files))('%s is refused in one line with advice', async (_, [bytes, message]) => {
  const folder = folderOf()
  writeFileSync(join(folder, 'given.yaml'), bytes)
  expectOneLine((await generation(['given.yaml'], folder)).printed, message)
})

test.each(Object.entries(others))('%s is refused in one line, and not read', async (kind, message) => {
  const folder = folderOf()
  made[kind]?.(join(folder, 'given.yaml'))
  expectOneLine((await generation(['given.yaml'], folder)).printed, message)
})

test.each(['https://example.com/openapi.yaml', 'file:///etc/passwd'])('the URL %s is not fetched', async url => {
  const { printed } = await generation([url], folderOf(), undefined, [`${url}=doc`])
  expectOneLine(printed, /file-remote: ".*" is not fetched; download the document and give its file/)
})

test.each(['given.json', 'given.yaml'])('a byte order mark in %s is no fault', async name => {
  const folder = folderOf()
  writeFileSync(
    join(folder, name),
    `\ufeff{"openapi":"3.0.3","info":{"title":"a","version":"1"},"paths":{},${schemas}}`,
  )
  const { files: written, printed } = await generation([name], folder)
  expect(printed).toEqual([])
  expect(written.size).toBeGreaterThan(0)
})

test('references between files that go in a circle are refused in one line', async () => {
  const folder = folderOf()
  writeFileSync(join(folder, 'given.yaml'), `${whole}components: {schemas: {A: {$ref: 'b.yaml#/B'}}}\n`)
  writeFileSync(join(folder, 'b.yaml'), "B: {$ref: 'given.yaml#/components/schemas/A'}\n")
  expectOneLine(
    (await generation(['given.yaml'], folder)).printed,
    /reference-cycle: "b\.yaml#\/B" leads back to itself/,
  )
})

test.each(Object.entries(others))('a reference to %s is refused at its place, and not read', async (kind, message) => {
  const folder = folderOf()
  made[kind]?.(join(folder, 'given.yaml'))
  writeFileSync(join(folder, 'api.yaml'), `${whole}components: {schemas: {A: {$ref: given.yaml}}}\n`)
  const { printed } = await generation(['api.yaml'], folder)
  expectOneLine(printed, message)
  expect(printed[0]).toMatch(/^api\.yaml:4:28 error /)
})

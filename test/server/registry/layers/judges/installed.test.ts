import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FoundPackage } from '../../../../../domain/registry/scanning/inventory.ts'
import { run } from '../../../programs.ts'
import { inventoryOfLayers, layerOf, ociLayer } from '../made-image.ts'
import { lacks } from './lacks.ts'
import { layersOf } from './oci-layout.ts'

/** The folder that make-debian-image.sh has filled. */
const debianImage = process.env['NINEFOLD_DEBIAN_IMAGE']
if (debianImage === undefined)
  console.warn('the test with Debian packages is skipped: NINEFOLD_DEBIAN_IMAGE names no folder')

const folder = (): ReturnType<typeof mkdtempDisposable> => mkdtempDisposable(join(tmpdir(), 'ninefold-layers-'))

/** Runs a program that must succeed; returns its output. */
async function outputOf(program: string, args: readonly string[], input?: string): Promise<string> {
  const { errors, output, status } = await run(program, args, input)
  if (status !== 0) throw new Error(`${program} failed: ${errors.slice(0, 500)}`)
  return output.toString('utf8')
}

/** Returns the packages in a folder, as a layer that GNU tar makes. */
async function packagesIn(path: string, files: string): Promise<readonly FoundPackage[]> {
  const { errors, output, status } = await run('tar', ['-C', path, '-cf', '-', '--no-recursion', '-T', '-'], files)
  if (status !== 0) throw new Error(`tar failed: ${errors.slice(0, 500)}`)
  return (await inventoryOfLayers([layerOf(output, ociLayer)])).packages
}

const allFiles = (path: string): Promise<string> => outputOf('sh', ['-c', 'cd "$0" && find .', path])

/** Returns each text once, in order. */
const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort()

describe('the packages of an image', () => {
  it.skipIf(debianImage === undefined)('of Debian are those of dpkg-query', async () => {
    const made = debianImage ?? ''
    const lines = (await readFile(join(made, 'packages'), 'utf8')).trim().split('\n')
    const { os, packages, unsupported } = await inventoryOfLayers(layersOf(join(made, 'image')))
    const found = packages.map(({ name, purl, source, version }) =>
      [name, version, new URL(purl).searchParams.get('arch'), source?.name, source?.version].join(' '),
    )
    // Of a package that was removed, only files of configuration are there.
    const installed = lines.filter(line => !line.startsWith('config-files ')).map(line => line.replace(/^\S+ /, ''))
    expect(lines.length).toBe(installed.length + 1)
    expect(installed.length).toBeGreaterThan(5)
    expect(found.toSorted()).toEqual(installed.toSorted())
    expect(os?.id).toBe('debian')
    expect(new Set(packages.map(({ ecosystem }) => ecosystem))).toEqual(new Set([`Debian:${os?.version}`]))
    expect(unsupported).toEqual([])
  })

  it.skipIf(lacks('with npm', 'npm', 'tar', 'find'))('of npm are those of npm', async () => {
    const root = process.cwd()
    const files = await outputOf('find', ['node_modules/', '-name', 'package.json'])
    const found = await packagesIn(root, files)
    // Peers that are missing give npm a status of their own.
    const { output } = await run('npm', ['ls', '--all', '--json'])
    const listed = npmPackages(JSON.parse(output.toString('utf8')))
    expect(listed.length).toBeGreaterThan(100)
    expect(sorted(found.map(({ name, version }) => `${name}@${version}`))).toEqual(sorted(listed))
  })

  it.skipIf(lacks('with pip', 'python3', 'tar'))('of Python are those of pip', async ({ skip }) => {
    await using made = await folder()
    const python = join(made.path, 'bin/python3')
    const { errors, status } = await run('python3', ['-m', 'venv', made.path])
    if (status !== 0) skip(`an environment of Python cannot be made: ${errors.slice(0, 200)}`)
    const site = await outputOf(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'])
    const listed: readonly { readonly name: string; readonly version: string }[] = JSON.parse(
      await outputOf(python, ['-m', 'pip', 'list', '--format', 'json', '--path', site.trim()]),
    )
    const found = await packagesIn(made.path, await allFiles(made.path))
    expect(listed.length).toBeGreaterThan(0)
    expect(sorted(found.map(({ name, version }) => `${name} ${version}`))).toEqual(
      sorted(listed.map(({ name, version }) => `${name.toLowerCase().replace(/[-_.]+/g, '-')} ${version}`)),
    )
  })

  it.skipIf(lacks('with programs of Go', 'go', 'tar')).each([
    { title: 'as it is', flags: [] },
    { title: 'independent of its position', flags: ['-buildmode=pie'] },
    { title: 'without symbols', flags: ['-ldflags', '-s -w'] },
  ])('of a program of Go, $title, are those of Go', async ({ flags }) => {
    await using made = await folder()
    await writeGoProgram(made.path)
    await outputOf('go', ['-C', made.path, 'build', '-mod=vendor', '-o', 'program', ...flags, '.'])
    const report = await outputOf('go', ['version', '-m', join(made.path, 'program')])
    const found = await packagesIn(made.path, 'program')
    const go = /go(\d\S*)/.exec(report)?.[1] ?? ''
    expect(sorted(found.map(({ name, version }) => `${name} ${version}`))).toEqual(
      sorted([`stdlib ${go}`, ...goModules(report)]),
    )
    expect(found).toHaveLength(3)
  })
})

/** Returns `name@version` of each package in the tree that npm lists. */
function npmPackages(listed: unknown): readonly string[] {
  const dependencies: unknown = Reflect.get(Object(listed), 'dependencies')
  return Object.entries(Object(dependencies)).flatMap(([name, value]) => {
    const version: unknown = Reflect.get(Object(value), 'version')
    const own = typeof version === 'string' ? [`${name}@${version}`] : []
    return [...own, ...npmPackages(value)]
  })
}

/** Returns the modules in a report of `go version -m`, each with its version, or what replaces it. */
const goModules = (report: string): readonly string[] =>
  [...report.matchAll(/^\tdep\t(\S+)\tv(\S+).*\n(?:\t=>\t(\S+)\tv(\S+))?/gm)].map(
    ([, name, version, newName, newVersion]) => `${newName ?? name} ${newVersion ?? version}`,
  )

/** Writes a program with two modules, one of which replaces another one. */
async function writeGoProgram(path: string): Promise<void> {
  const files = {
    'go.mod':
      'module example.com/program\n\ngo 1.20\n\nrequire (\n\texample.com/a v1.2.3\n\texample.com/b v0.0.0-20260102030405-abcdefabcdef\n)\n\nreplace example.com/a => example.com/fork v1.4.0+incompatible\n',
    'main.go':
      'package main\n\nimport (\n\t"example.com/a"\n\t"example.com/b"\n)\n\nfunc main() { println(a.Name, b.Name) }\n',
    'vendor/modules.txt':
      '# example.com/a v1.2.3 => example.com/fork v1.4.0+incompatible\n## explicit\nexample.com/a\n# example.com/b v0.0.0-20260102030405-abcdefabcdef\n## explicit\nexample.com/b\n# example.com/a => example.com/fork v1.4.0+incompatible\n',
    'vendor/example.com/a/a.go': 'package a\n\nvar Name = "a"\n',
    'vendor/example.com/b/b.go': 'package b\n\nvar Name = "b"\n',
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(path, name, '..'), { recursive: true })
    await writeFile(join(path, name), text)
  }
}
